//! Zeroed memory for the transposition table, on huge pages where the system has them, and the
//! prefetch instruction.
//!
//! At sizes beyond the caches a probe costs a miss of the address translation on top of the miss
//! of the data; two-megabyte pages take the first one away.

use std::ops::Deref;
use std::ptr::NonNull;

/// A zeroed slice in memory of its own.
pub(super) struct Pages<T: Zeroable> {
    start: NonNull<T>,
    len: usize,
}

// SAFETY: `Pages` owns its memory like a `Box<[T]>`, and gives out shared references only.
unsafe impl<T: Zeroable + Send> Send for Pages<T> {}
// SAFETY: as above.
unsafe impl<T: Zeroable + Sync> Sync for Pages<T> {}

/// Types for which zeroed memory is a valid value.
///
/// # Safety
///
/// All-zero bytes must be a valid value of the type, which must have no destructor.
pub(super) unsafe trait Zeroable {}

// SAFETY: a cluster is four atomic integers.
unsafe impl Zeroable for super::Cluster {}

impl<T: Zeroable> Pages<T> {
    /// `len` zeroed values; `None` when the memory cannot be had.
    pub fn zeroed(len: usize) -> Option<Pages<T>> {
        let bytes = len.checked_mul(size_of::<T>())?;
        if bytes == 0 || bytes > isize::MAX as usize {
            return None;
        }
        Some(Pages {
            start: memory::zeroed(bytes)?.cast(),
            len,
        })
    }
}

impl<T: Zeroable> Deref for Pages<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: `start` points to `len` zeroed values, which are valid by `Zeroable`, and lives
        // as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T: Zeroable> Drop for Pages<T> {
    fn drop(&mut self) {
        // SAFETY: the memory came from `memory::zeroed` with this size, and nothing borrows it.
        unsafe { memory::release(self.start.cast(), self.len * size_of::<T>()) }
    }
}

#[cfg(unix)]
mod memory {
    use std::ptr::{self, NonNull};

    /// The size and alignment of a huge page.
    const HUGE: usize = 2 << 20;

    /// A multiple of every system's small page.
    const PAGE: usize = 64 << 10;

    /// Maps a huge page more than asked for, so that the part that is kept can begin at a huge
    /// page's boundary, and gives head and tail back.
    pub fn zeroed(bytes: usize) -> Option<NonNull<u8>> {
        let kept = bytes.next_multiple_of(PAGE);
        let mapped = kept.checked_add(HUGE)?;
        // SAFETY: an anonymous private mapping at an address of the system's choice touches no
        // memory that is in use.
        let start = unsafe {
            libc::mmap(
                ptr::null_mut(),
                mapped,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return None;
        }
        let head = start.addr().next_multiple_of(HUGE) - start.addr();
        let kept_start = start.cast::<u8>().wrapping_add(head);
        // SAFETY: head and tail are whole small pages of the mapping outside of the kept part.
        unsafe {
            if head > 0 {
                libc::munmap(start, head);
            }
            if head < HUGE {
                libc::munmap(kept_start.wrapping_add(kept).cast(), HUGE - head);
            }
            #[cfg(target_os = "linux")]
            libc::madvise(kept_start.cast(), kept, libc::MADV_HUGEPAGE);
        }
        NonNull::new(kept_start)
    }

    /// # Safety
    ///
    /// `start` must come from [`zeroed`] with the same size, and must not be used again.
    pub unsafe fn release(start: NonNull<u8>, bytes: usize) {
        // SAFETY: by the caller's promise this is the kept part of a mapping, and unused.
        unsafe { libc::munmap(start.as_ptr().cast(), bytes.next_multiple_of(PAGE)) };
    }
}

#[cfg(not(unix))]
mod memory {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    fn layout(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes, 64).ok()
    }

    pub fn zeroed(bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: the size is not zero (checked by `Pages::zeroed`).
        NonNull::new(unsafe { alloc_zeroed(layout(bytes)?) })
    }

    /// # Safety
    ///
    /// `start` must come from [`zeroed`] with the same size, and must not be used again.
    pub unsafe fn release(start: NonNull<u8>, bytes: usize) {
        if let Some(layout) = layout(bytes) {
            // SAFETY: by the caller's promise.
            unsafe { dealloc(start.as_ptr(), layout) };
        }
    }
}

/// Asks the processor to bring this value into its caches.
#[inline]
pub(super) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch never faults, and SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
