/* Threads for C++ that asks for them, where there are none: a lock is always free, and a thread is run when it is made. */

#pragma once
#ifdef __cplusplus
#include <functional>
#include <mutex>
#include <utility>

namespace std {

class mutex {
public:
    void lock() {}
    bool try_lock() { return true; }
    void unlock() {}
};

using recursive_mutex = mutex;

template <class Lock> class unique_lock {
public:
    unique_lock() = default;
    explicit unique_lock(Lock &) {}
    void lock() {}
    void unlock() {}
};

class condition_variable {
public:
    void notify_one() {}
    void notify_all() {}
    template <class... Arguments> void wait(Arguments &&...) {}
};

class thread {
public:
    class id {
    public:
        friend bool operator==(id, id) { return true; }
        friend bool operator!=(id, id) { return false; }
    };

    thread() = default;
    template <class Function, class... Arguments> explicit thread(Function &&function, Arguments &&...arguments)
    {
        std::invoke(std::forward<Function>(function), std::forward<Arguments>(arguments)...);
    }
    bool joinable() const { return false; }
    void join() {}
    void detach() {}
    id get_id() const { return {}; }
    static unsigned hardware_concurrency() { return 1; }
};

namespace this_thread {
inline thread::id get_id() { return {}; }
}

}
#endif
