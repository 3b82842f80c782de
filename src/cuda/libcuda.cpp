// SPDX-License-Identifier: BSD-3-Clause
// Kokkos' core calls three functions of libcuda, which comes with the driver, and src/cuda/ipc.cpp another. Linked
// against it, the program would not even load where no driver is. These stand in for them and forward to the real ones;
// linked with --as-needed, nothing asks for libcuda any more. Where there is no driver the first CUDA call says so,
// long before any of these is reached.
#include <cuda.h>
#include <dlfcn.h>

#include <cstddef>

namespace {

template <class Function>
Function* driver(char const* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

template <class Function, class... Arguments>
CUresult forward(char const* name, Arguments... arguments) {
  auto* const function = driver<Function>(name);
  return function == nullptr ? CUDA_ERROR_NOT_INITIALIZED : function(arguments...);
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuCtxGetDevice(CUdevice* device) { return forward<CUresult(CUdevice*)>("cuCtxGetDevice", device); }
CUresult CUDAAPI cuCtxPushCurrent(CUcontext context) {
  return forward<CUresult(CUcontext)>("cuCtxPushCurrent_v2", context);
}
CUresult CUDAAPI cuStreamGetCtx(CUstream stream, CUcontext* context) {
  return forward<CUresult(CUstream, CUcontext*)>("cuStreamGetCtx", stream, context);
}
CUresult CUDAAPI cuMemGetAddressRange(CUdeviceptr* begin, std::size_t* bytes, CUdeviceptr address) {
  return forward<CUresult(CUdeviceptr*, std::size_t*, CUdeviceptr)>("cuMemGetAddressRange_v2", begin, bytes, address);
}

}  // extern "C"
