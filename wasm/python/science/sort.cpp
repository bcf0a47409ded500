// Sorting in WebAssembly's SIMD, by the library that numpy brings along (highway's vqsort).

#define VQSORT_ONLY_STATIC 1
#include <cstddef>
#include <cstdint>

#include "hwy/contrib/sort/vqsort-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hwy {
namespace HWY_NAMESPACE {
template <class T> void sort(T *start, size_t count)
{
    VQSortStatic(start, count, SortAscending());
}
} // namespace HWY_NAMESPACE
} // namespace hwy
HWY_AFTER_NAMESPACE();

template <class T> void simd_sort(T *start, size_t count)
{
    hwy::HWY_NAMESPACE::sort(start, count);
}

template void simd_sort(int32_t *, size_t);
template void simd_sort(uint32_t *, size_t);
template void simd_sort(int64_t *, size_t);
template void simd_sort(uint64_t *, size_t);
template void simd_sort(float *, size_t);
template void simd_sort(double *, size_t);
