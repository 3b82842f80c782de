// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/nccl.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstring>
#include <stdexcept>

#include "cuda/instance.hpp"
#include "patterns/common/collective.hpp"

namespace tilestride::cuda {
namespace {

// The part of NCCL's interface that is used, as its manual has it: nccl.h is a package of its own.
using Status = int;  // 0: success
using Communicator = struct NcclCommunicator*;
struct UniqueId {
  char internal[128];
};
using GetUniqueId = Status(UniqueId*);
using CommInitRank = Status(Communicator*, int ranks, UniqueId, int rank);
using GetVersion = Status(int*);
using GetErrorString = char const*(Status);
using Group = Status();
using Send = Status(void const*, std::size_t, int type, int peer, Communicator, cudaStream_t);
using Receive = Status(void*, std::size_t, int type, int peer, Communicator, cudaStream_t);
constexpr int bytes_type = 0;  // ncclInt8

/// The functions that are used. Never closed: its threads may run as long as the process.
class Nccl {
 public:
  Nccl() {
    library_ = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
      why_not_ = dlerror();
      return;
    }
    find(get_unique_id_, "ncclGetUniqueId");
    find(comm_init_rank_, "ncclCommInitRank");
    find(get_version_, "ncclGetVersion");
    find(get_error_string_, "ncclGetErrorString");
    find(group_start_, "ncclGroupStart");
    find(group_end_, "ncclGroupEnd");
    find(send_, "ncclSend");
    find(receive_, "ncclRecv");
  }

  std::string const& why_not() const { return why_not_; }

  std::string version() const {
    int number = 0;
    get_version_(&number);
    return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
  }

  /// Joins the ranks; empty, or why it could not. Collective, on the current device.
  std::string join(Ranks& ranks) {
    if (communicator_ != nullptr) return "";
    UniqueId id{};
    Status status = ranks.rank() == 0 ? get_unique_id_(&id) : 0;
    std::string const text = ranks.from_first(std::string(id.internal, sizeof id.internal));
    std::memcpy(id.internal, text.data(), sizeof id.internal);
    if (!ranks.everywhere(status == 0)) return status == 0 ? "" : words(status);
    status = comm_init_rank_(&communicator_, ranks.count(), id, ranks.rank());
    if (status == 0) return "";
    communicator_ = nullptr;
    return words(status);
  }

  void exchange(Messages const& sends, Messages const& receives, cudaStream_t stream) const {
    check_status(group_start_(), "ncclGroupStart");
    for (Message const& m : sends)
      check_status(send_(m.data, m.bytes, bytes_type, m.rank, communicator_, stream), "ncclSend");
    for (Message const& m : receives)
      check_status(receive_(m.data, m.bytes, bytes_type, m.rank, communicator_, stream), "ncclRecv");
    check_status(group_end_(), "ncclGroupEnd");
  }

 private:
  template <class Function>
  void find(Function*& function, char const* name) {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (function == nullptr && why_not_.empty()) why_not_ = std::string("libnccl.so.2 has no ") + name;
  }

  std::string words(Status status) const { return std::string("NCCL: ") + get_error_string_(status); }
  void check_status(Status status, char const* call) const {
    if (status != 0) throw std::runtime_error(std::string(call) + ": " + get_error_string_(status));
  }

  void* library_ = nullptr;
  std::string why_not_;
  Communicator communicator_ = nullptr;
  GetUniqueId* get_unique_id_ = nullptr;
  CommInitRank* comm_init_rank_ = nullptr;
  GetVersion* get_version_ = nullptr;
  GetErrorString* get_error_string_ = nullptr;
  Group *group_start_ = nullptr, *group_end_ = nullptr;
  Send* send_ = nullptr;
  Receive* receive_ = nullptr;
};

std::optional<Skip> skip_for(std::string const& reason, SkipReason kind) {
  if (reason.empty()) return {};
  return Skip{kind, reason};
}

}  // namespace

Transport by_nccl(void const* exec, Ranks& ranks) {
  static Nccl nccl;
  if (auto const skip = of_any_rank(ranks, skip_for(nccl.why_not(), SkipReason::not_built))) return {skip};
  OnDevice const here(device_of(exec));
  if (auto const skip = of_any_rank(ranks, skip_for(nccl.join(ranks), SkipReason::hardware))) return {skip};
  auto const exchange = [stream = stream_of(exec)](Messages const& sends, Messages const& receives) {
    nccl.exchange(sends, receives, stream);
    check(cudaStreamSynchronize(stream), "NCCL's messages");
  };
  return {{}, exchange, {{"NCCL", nccl.version()}}};
}

}  // namespace tilestride::cuda
