/* What scipy's C++ asks for beside threads.h, where there are no threads and libc++ has no files. */

#pragma once
#ifdef __cplusplus
#include <__config>
// Streams of files are templates, which need nothing of the library; it was only built without them.
#undef _LIBCPP_HAS_NO_FILESYSTEM
#pragma push_macro("_LIBCPP_AVAILABILITY_HAS_ADDITIONAL_IOSTREAM_EXPLICIT_INSTANTIATIONS_1")
#undef _LIBCPP_AVAILABILITY_HAS_ADDITIONAL_IOSTREAM_EXPLICIT_INSTANTIATIONS_1
#define _LIBCPP_AVAILABILITY_HAS_ADDITIONAL_IOSTREAM_EXPLICIT_INSTANTIATIONS_1 0
#include <fstream>
#pragma pop_macro("_LIBCPP_AVAILABILITY_HAS_ADDITIONAL_IOSTREAM_EXPLICIT_INSTANTIATIONS_1")
#include "threads.h"
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>

namespace std {

namespace this_thread {
inline void yield() {}
template <class Duration> void sleep_for(const Duration &) {}
}

template <class... Locks> void lock(Locks &...) {}
template <class... Locks> int try_lock(Locks &...) { return -1; }

/** What a task has come to, which has run when it was made. */
template <class Result> struct shared_outcome {
    optional<conditional_t<is_void_v<Result>, char, Result>> value;
    exception_ptr failure;
};

enum class future_status { ready, timeout, deferred };

template <class Result> class future {
public:
    future() = default;
    explicit future(shared_ptr<shared_outcome<Result>> outcome) : outcome_(std::move(outcome)) {}
    bool valid() const { return outcome_ != nullptr; }
    void wait() const {}
    template <class Duration> future_status wait_for(const Duration &) const { return future_status::ready; }
    Result get()
    {
        auto outcome = std::move(outcome_);
        if (outcome->failure)
            rethrow_exception(outcome->failure);
        if constexpr (!is_void_v<Result>)
            return std::move(*outcome->value);
    }

private:
    shared_ptr<shared_outcome<Result>> outcome_;
};

template <class Signature> class packaged_task;
template <class Result, class... Arguments> class packaged_task<Result(Arguments...)> {
public:
    packaged_task() = default;
    template <class Function> explicit packaged_task(Function &&work)
        : work_(make_shared<decay_t<Function>>(std::forward<Function>(work)), &call<decay_t<Function>>)
    {
    }
    future<Result> get_future() { return future<Result>(outcome_); }
    void operator()(Arguments... arguments)
    {
        try {
            if constexpr (is_void_v<Result>)
                work_.second(work_.first.get(), std::forward<Arguments>(arguments)...);
            else
                outcome_->value = work_.second(work_.first.get(), std::forward<Arguments>(arguments)...);
        } catch (...) {
            outcome_->failure = current_exception();
        }
    }

private:
    template <class Function> static Result call(void *work, Arguments... arguments)
    {
        return (*static_cast<Function *>(work))(std::forward<Arguments>(arguments)...);
    }
    pair<shared_ptr<void>, Result (*)(void *, Arguments...)> work_;
    shared_ptr<shared_outcome<Result>> outcome_ = make_shared<shared_outcome<Result>>();
};

}
#endif
