;; Compares a heap page by page (4 KiB) with what was recorded of it, records pages and puts them back.
;; A page that was never recorded is as in $base, or zero beyond the end of $base.
;;
;; $record: from address 0 on a byte per page: 1 if it was recorded, 2 if it has to be compared; from 1 MiB on the numbers of the pages that the last
;; scan found, u32 each; from 5 MiB on what the system says of the heap's pages, u64 each (pagemap, proc_pid_pagemap(5));
;; from 5.5 MiB on the recorded pages, each at its own place.
(module
  (import "image" "heap" (memory $heap 0))
  (import "image" "base" (memory $base 0 65536 shared))
  (import "image" "record" (memory $record 0))

  (func $recorded (param $page i32) (result i32)
    (i32.and (i32.load8_u $record (local.get $page)) (i32.const 1)))

  (func $suspected (param $page i32) (result i32)
    (i32.and (i32.load8_u $record (local.get $page)) (i32.const 2)))

  (func $clear (param $page i32)
    (i32.store8 $record (local.get $page) (call $recorded (local.get $page))))

  ;; The pages from $page on and below $end have to be compared.
  (func (export "suspect") (param $page i32) (param $end i32)
    (block $done
      (loop $more
        (br_if $done (i32.ge_u (local.get $page) (local.get $end)))
        (i32.store8 $record (local.get $page) (i32.or (i32.load8_u $record (local.get $page)) (i32.const 2)))
        (local.set $page (i32.add (local.get $page) (i32.const 1)))
        (br $more))))

  (func $in_base (param $page i32) (result i32)
    (i32.lt_u (local.get $page) (i32.shl (memory.size $base) (i32.const 4))))

  (func $differs_from_record (param $at i32) (result i32)
    (local $left i32) (local $bits v128)
    (local.set $left (i32.const 128))
    (loop $more
      (local.set $bits (v128.or (local.get $bits) (v128.or
        (v128.xor (v128.load $heap (local.get $at)) (v128.load $record offset=0x580000 (local.get $at)))
        (v128.xor (v128.load $heap offset=16 (local.get $at)) (v128.load $record offset=0x580010 (local.get $at))))))
      (local.set $at (i32.add (local.get $at) (i32.const 32)))
      (br_if $more (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (v128.any_true (local.get $bits)))

  (func $differs_from_base (param $at i32) (result i32)
    (local $left i32) (local $bits v128)
    (local.set $left (i32.const 128))
    (loop $more
      (local.set $bits (v128.or (local.get $bits) (v128.or
        (v128.xor (v128.load $heap (local.get $at)) (v128.load $base (local.get $at)))
        (v128.xor (v128.load $heap offset=16 (local.get $at)) (v128.load $base offset=16 (local.get $at))))))
      (local.set $at (i32.add (local.get $at) (i32.const 32)))
      (br_if $more (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (v128.any_true (local.get $bits)))

  (func $differs_from_zero (param $at i32) (result i32)
    (local $left i32) (local $bits v128)
    (local.set $left (i32.const 128))
    (loop $more
      (local.set $bits (v128.or (local.get $bits) (v128.or
        (v128.load $heap (local.get $at)) (v128.load $heap offset=16 (local.get $at)))))
      (local.set $at (i32.add (local.get $at) (i32.const 32)))
      (br_if $more (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (v128.any_true (local.get $bits)))

  ;; Whether nobody has written to a page since it was mapped: it is still the file's, which has the base (present and a
  ;; file's, the bits 63 and 61), or there is none (neither present nor swapped, bit 62).
  (func $untouched (param $page i32) (result i32)
    (local $bits i64)
    (local.set $bits
      (i64.shr_u (i64.load $record offset=0x500000 (i32.shl (local.get $page) (i32.const 3))) (i64.const 61)))
    (i32.or (i64.eq (local.get $bits) (i64.const 5)) (i64.eqz (local.get $bits))))

  ;; $known: the system was asked about the pages below it.
  (func $differs (param $page i32) (param $known i32) (result i32)
    (local $at i32)
    (local.set $at (i32.shl (local.get $page) (i32.const 12)))
    (if (call $recorded (local.get $page))
      (then (return (call $differs_from_record (local.get $at)))))
    (if (i32.lt_u (local.get $page) (local.get $known))
      (then (if (call $untouched (local.get $page)) (then (return (i32.const 0))))))
    (if (call $in_base (local.get $page))
      (then (return (call $differs_from_base (local.get $at)))))
    (call $differs_from_zero (local.get $at)))

  (func $listed (param $position i32) (result i32)
    (i32.load $record offset=0x100000 (i32.shl (local.get $position) (i32.const 2))))

  ;; Lists the pages from $page on and below $pages that have to be compared and differ from what was recorded. They have
  ;; to be compared again until they are recorded or restored. Gives their number.
  (func (export "scan") (param $page i32) (param $pages i32) (param $known i32) (result i32)
    (local $found i32)
    (block $end
      (loop $more
        (br_if $end (i32.ge_u (local.get $page) (local.get $pages)))
        (if (call $suspected (local.get $page))
          (then (if (call $differs (local.get $page) (local.get $known))
            (then
              (i32.store $record offset=0x100000 (i32.shl (local.get $found) (i32.const 2)) (local.get $page))
              (local.set $found (i32.add (local.get $found) (i32.const 1))))
            (else (call $clear (local.get $page))))))
        (local.set $page (i32.add (local.get $page) (i32.const 1)))
        (br $more)))
    (local.get $found))

  ;; Records the first $count pages of the list. Gives the number of those that had not been recorded before.
  (func (export "record") (param $count i32) (result i32)
    (local $position i32) (local $page i32) (local $at i32) (local $new i32)
    (block $end
      (loop $more
        (br_if $end (i32.ge_u (local.get $position) (local.get $count)))
        (local.set $page (call $listed (local.get $position)))
        (local.set $at (i32.shl (local.get $page) (i32.const 12)))
        (local.set $new (i32.add (local.get $new) (i32.eqz (call $recorded (local.get $page)))))
        (memory.copy $record $heap
          (i32.add (local.get $at) (i32.const 0x580000)) (local.get $at) (i32.const 4096))
        (i32.store8 $record (local.get $page) (i32.const 1))
        (local.set $position (i32.add (local.get $position) (i32.const 1)))
        (br $more)))
    (local.get $new))

  ;; Gives the first $count pages of the list the contents that were recorded.
  (func (export "restore") (param $count i32)
    (local $position i32) (local $page i32) (local $at i32)
    (block $end
      (loop $more
        (br_if $end (i32.ge_u (local.get $position) (local.get $count)))
        (local.set $page (call $listed (local.get $position)))
        (local.set $at (i32.shl (local.get $page) (i32.const 12)))
        (if (call $recorded (local.get $page))
          (then (memory.copy $heap $record
            (local.get $at) (i32.add (local.get $at) (i32.const 0x580000)) (i32.const 4096)))
          (else (if (call $in_base (local.get $page))
            (then (memory.copy $heap $base (local.get $at) (local.get $at) (i32.const 4096)))
            (else (memory.fill $heap (local.get $at) (i32.const 0) (i32.const 4096))))))
        (call $clear (local.get $page))
        (local.set $position (i32.add (local.get $position) (i32.const 1)))
        (br $more))))

  ;; The $number-th word of a page is $value, more than the base's: lists it, if it is not zero. Gives what is listed then.
  (func $list_word (param $value i32) (param $number i32) (param $count i32) (result i32)
    (if (i32.eqz (local.get $value)) (then (return (local.get $count))))
    (i32.store $record offset=0x500000 (i32.shl (local.get $count) (i32.const 2)) (local.get $value))
    (i32.store16 $record offset=0x501000 (i32.shl (local.get $count) (i32.const 1)) (local.get $number))
    (i32.add (local.get $count) (i32.const 1)))

  ;; Lists the words in which a recorded page differs from the base (exclusive or), from 5 MiB on, and 4 KiB behind them
  ;; their numbers. Gives how many there are.
  (func (export "words") (param $page i32) (result i32)
    (local $at i32) (local $word i32) (local $count i32) (local $based i32) (local $bits v128)
    (local.set $at (i32.shl (local.get $page) (i32.const 12)))
    (local.set $based (call $in_base (local.get $page)))
    (loop $more
      (local.set $bits (v128.load $record offset=0x580000 (local.get $at)))
      (if (local.get $based)
        (then (local.set $bits (v128.xor (local.get $bits) (v128.load $base (local.get $at))))))
      (if (v128.any_true (local.get $bits))
        (then
          (local.set $count (call $list_word
            (i32x4.extract_lane 0 (local.get $bits)) (local.get $word) (local.get $count)))
          (local.set $count (call $list_word
            (i32x4.extract_lane 1 (local.get $bits)) (i32.add (local.get $word) (i32.const 1)) (local.get $count)))
          (local.set $count (call $list_word
            (i32x4.extract_lane 2 (local.get $bits)) (i32.add (local.get $word) (i32.const 2)) (local.get $count)))
          (local.set $count (call $list_word
            (i32x4.extract_lane 3 (local.get $bits)) (i32.add (local.get $word) (i32.const 3)) (local.get $count)))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $more
        (i32.lt_u (local.tee $word (i32.add (local.get $word) (i32.const 4))) (i32.const 1024))))
    (local.get $count))

  ;; Combines a recorded page with the base's (exclusive or): twice makes it what it was.
  (func (export "combine") (param $page i32)
    (local $at i32) (local $left i32)
    (if (i32.eqz (call $in_base (local.get $page))) (then (return)))
    (local.set $at (i32.shl (local.get $page) (i32.const 12)))
    (local.set $left (i32.const 256))
    (loop $more
      (v128.store $record offset=0x580000 (local.get $at) (v128.xor
        (v128.load $record offset=0x580000 (local.get $at)) (v128.load $base (local.get $at))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $more (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))))
