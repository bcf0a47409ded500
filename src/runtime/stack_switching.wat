;; Imports of a program that may leave its stack where it has to wait, and come back: between the host's call of it and the
;; import that leaves there may be no frame of JavaScript. `host` are functions of JavaScript, `wait` one that suspends.
(module
  (type $call (func (param i32 i32 i32 i32) (result i32)))
  (type $apart (func (param i32)))
  ;; As WASI has them; but -1: the program has to wait first.
  (import "host" "fd_read" (func $fd_read (type $call)))
  (import "host" "fd_write" (func $fd_write (type $call)))
  (import "host" "poll_oneoff" (func $poll_oneoff (type $call)))
  ;; Non-zero: it is to wait.
  (import "host" "out_of_fuel" (func $out_of_fuel (result i32)))
  (import "host" "wait" (func $wait))
  (import "host" "stack_pointer" (func $stack_pointer (result i32)))
  (import "host" "set_stack_pointer" (func $set_stack_pointer (param i32)))
  ;; What `apart` calls.
  (import "host" "table" (table 1 funcref))
  (tag $left)

  (func (export "fd_read") (type $call) (local $result i32)
    (loop $again
      (local.set $result (call $fd_read (local.get 0) (local.get 1) (local.get 2) (local.get 3)))
      (if (i32.eq (local.get $result) (i32.const -1))
        (then (call $wait) (br $again))))
    (local.get $result))

  (func (export "fd_write") (type $call) (local $result i32)
    (loop $again
      (local.set $result (call $fd_write (local.get 0) (local.get 1) (local.get 2) (local.get 3)))
      (if (i32.eq (local.get $result) (i32.const -1))
        (then (call $wait) (br $again))))
    (local.get $result))

  (func (export "poll_oneoff") (type $call) (local $result i32)
    (loop $again
      (local.set $result (call $poll_oneoff (local.get 0) (local.get 1) (local.get 2) (local.get 3)))
      (if (i32.eq (local.get $result) (i32.const -1))
        (then (call $wait) (br $again))))
    (local.get $result))

  (func (export "out_of_fuel")
    (if (call $out_of_fuel) (then (call $wait))))

  ;; Calls what may be left in the middle, by `leave`. Non-zero: it was.
  (func (export "apart") (param $stack i32) (result i32) (local $before i32)
    (local.set $before (call $stack_pointer))
    (try
      (do
        (call_indirect (type $apart) (local.get $stack) (i32.const 0))
        (return (i32.const 0)))
      (catch $left
        (call $set_stack_pointer (local.get $before))))
    (i32.const 1))

  (func (export "leave") (throw $left)))
