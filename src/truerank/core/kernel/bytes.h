/* Bytes for the kernel: columns of a line, decimal numbers, ids. Plain C, no allocation, no Python. */
#ifndef TRUERANK_BYTES_H
#define TRUERANK_BYTES_H

#include <float.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { PAD = 64 };             /* bytes behind the last line that `split` may look at */

static inline uint64_t load8(const char *p) { uint64_t w; memcpy(&w, p, 8); return w; }
static inline uint32_t load4(const char *p) { uint32_t w; memcpy(&w, p, 4); return w; }

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
enum { LITTLE_ENDIAN_BYTES = 0 };
#else
enum { LITTLE_ENDIAN_BYTES = 1 };
#endif

/* Compiled twice, also for processors that cut masks of bits with one instruction each: BITS is what the second asks for. */
#if defined(__GNUC__) && defined(__x86_64__)
#define BITS __attribute__((target("bmi,bmi2")))
#define HAS_BITS __builtin_cpu_supports("bmi2")
#define INLINED static inline __attribute__((always_inline))
#else
#define BITS
#define HAS_BITS 0
#define INLINED static inline
#endif

INLINED int lowest_bit(uint64_t w) {
#if defined(__GNUC__)
    return __builtin_ctzll(w);
#else
    int n = 0;
    for (; !(w & 1); w >>= 1) n++;
    return n;
#endif
}

static inline void fetch(const void *p) {        /* ask for memory that is read soon */
#if defined(__GNUC__)
    __builtin_prefetch(p);
#else
    (void)p;
#endif
}

/* ---- columns ------------------------------------------------------------------------------------- */

typedef struct { const char *start[6], *end[6]; } Fields;

/* Bit i says that p[i] is a blank or a control character, for the `width` bytes at p: 32 or 64. */
INLINED uint64_t blanks_of(const char *p, int width) {
    uint64_t mask = 0;
#if defined(__SSE2__)
    const __m128i blank = _mm_set1_epi8(32);
    for (int i = 0; i < width; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(p + i));
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(x, blank), x)) << i;
    }
#else
    for (int i = 0; i < width; i++) mask |= (uint64_t)((unsigned char)p[i] <= 32) << i;
#endif
    return mask;
}

/* Cut the line at p, which ends in a newline, into columns; returns the start of the next line.
   `found` is the number of columns (want + 1 for more), or -1 where a control character stands. */
static inline const char *split_any(const char *p, Fields *fields, int want, int *found) {
    for (*found = 0;; ++*found) {
        while (*p == ' ' || *p == '\t') p++;
        if ((unsigned char)*p <= 32) {
            if (p[0] == '\r' && p[1] == '\n') p++;
            if (*p != '\n') *found = -1;
            return p + 1;
        }
        if (*found > want) return p;
        if (*found < want) fields->start[*found] = p;
        while ((unsigned char)*p > 32) p++;
        if (*found < want) fields->end[*found] = p;
    }
}

/* The same, fast for lines with one blank between columns: the blanks of 64 bytes are found at once. */
static inline const char *split(const char *p, Fields *fields, int want, int *found) {
    const char *block = p, *start = p, *end;
    uint64_t blanks = blanks_of(p, 64);
    for (int i = 0; i < want; i++) {
        while (!blanks) blanks = blanks_of(block += 64, 64);
        end = block + lowest_bit(blanks);
        blanks &= blanks - 1;
        if (end == start || (i < want - 1 ? *end != ' ' && *end != '\t' : *end != '\n'))
            return split_any(p, fields, want, found);
        fields->start[i] = start;
        fields->end[i] = end;
        start = end + 1;
    }
    *found = want;
    return start;
}

/* ---- numbers ------------------------------------------------------------------------------------- */

enum { OK, FIELDS, CONTROL, NUMBER, NOT_FINITE, LONG, DUPLICATE, INTERLEAVED, MEMORY, HARD };

static const double TEN[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                             1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* m × 10^scale correctly rounded, where that is easy; HARD elsewhere. */
static inline int scaled(uint64_t m, int scale, double *out) {
    if (m <= (uint64_t)1 << 53 && -22 <= scale && scale <= 22) {      /* both factors are exact: one rounding */
        *out = scale < 0 ? (double)m / TEN[-scale] : (double)m * TEN[scale];
        return OK;
    }
#if LDBL_MANT_DIG == 64
    if (-27 <= scale && scale < 0) {  /* 10^27 fits 64 bits. Rounding to 64 bits and then to 53 is innocent, */
        long double ten = -scale > 22 ? (long double)TEN[-scale - 22] * TEN[22] : (long double)TEN[-scale];
        long double wide = (long double)m / ten;
        uint64_t bits;
        memcpy(&bits, &wide, 8);
        if ((bits & 0x7FF) != 0x400) {                 /* unless the first lands half-way between two doubles. */
            *out = (double)wide;
            return OK;
        }
    }
#endif
    return HARD;
}

/* The exponent at p, which stands before end: e-5; or 1 where it is none. Huge ones are
   cut, at more than the digits of any line can make up for. */
static inline int exponent(const char *p, const char *end, int *scale) {
    int power = 0, down = p[1] == '-';
    p += 1 + (p[1] == '-' || p[1] == '+');
    if (p >= end) return 1;
    for (; p < end && *p >= '0' && *p <= '9'; p++)
        if (power < 100000000) power = power * 10 + (*p - '0');
    *scale += down ? -power : power;
    return p != end;
}

/* The double nearest to the decimal number in [p, end): OK, NUMBER, NOT_FINITE, or HARD for a slower reader.
   A character that is no part of a number stands at end. */
static inline int number(const char *p, const char *end, double *out) {
    const char *start, *point, *significant;
    uint64_t m = 0;
    unsigned d;
    int negative = *p == '-', scale = 0, error = OK;
    if (negative || *p == '+') p++;
    while (*p == '0' && p[1] == '0') p++;
    for (start = significant = p; (d = (unsigned)*p - '0') <= 9; p++) m = m * 10 + d;
    point = p;
    if (*p == '.') {
        if (m == 0) {                                  /* zeros before the first digit that counts */
            while (p[1] == '0') p++;
            significant = p + 1;
        }
        for (p++; (d = (unsigned)*p - '0') <= 9; p++) m = m * 10 + d;
        scale = (int)(point + 1 - p);
    }
    if (p - start - (p > point) < 1) return (*p | 32) == 'n' || (*p | 32) == 'i' ? NOT_FINITE : NUMBER;
    if (p != end && ((*p | 32) != 'e' || exponent(p, end, &scale))) return NUMBER;
    if (p - significant > 19 || (m && p - start > 100000)) return HARD;    /* m may have overflowed */
    *out = 0.0;
    if (m) error = scaled(m, scale, out);
    if (negative) *out = -*out;
    return error;
}

/* The same for 1 to 3 digits, a point and 1 to 8 digits, which most scores are; 0 for any other number.
   The eight bytes before end are read: they must be the caller's. */
INLINED int short_number(const char *p, const char *end, double *out) {
    static const uint64_t ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    uint64_t whole = (uint64_t)(unsigned char)*p++ - '0', digits, d, n;
    if (whole > 9) return 0;
    if (*p != '.') {
        if ((d = (uint64_t)(unsigned char)*p++ - '0') > 9) return 0;
        whole = 10 * whole + d;
        if (*p != '.') {
            if ((d = (uint64_t)(unsigned char)*p++ - '0') > 9 || *p != '.') return 0;
            whole = 10 * whole + d;
        }
    }
    n = (uint64_t)(end - p) - 1;
    if (n - 1 > 7 || !LITTLE_ENDIAN_BYTES) return 0;
    digits = load8(end - 8) ^ 0x3030303030303030u;               /* the last digit is the highest byte */
    digits = digits >> (64 - 8 * n) << (64 - 8 * n);
    if ((digits | (digits + 0x7676767676767676u)) & 0x8080808080808080u) return 0;      /* a byte above 9 */
    digits = digits * 10 + (digits >> 8);                                               /* pairs, then all */
    digits = ((digits & 0xFF000000FFu) * (100 + (1000000ull << 32))
              + ((digits >> 16) & 0xFF000000FFu) * (1 + (10000ull << 32))) >> 32;
    *out = (double)(int64_t)(whole * ten[n] + digits) / TEN[n];  /* both exact: one rounding */
    return 1;
}

/* The 8 decimal digits of n < 10^8, zeros before it included, the first in the lowest byte. */
static inline uint64_t eight_digits(uint64_t n) {
    uint64_t halves = n / 10000 | n % 10000 << 32, tens = (halves * 10486 >> 20) & 0x7F0000007Fu;   /* by 100 */
    uint64_t pairs = tens | (halves - 100 * tens) << 16;
    tens = (pairs * 103 >> 10) & 0x000F000F000F000Fu;                                               /* by 10 */
    return tens | (pairs - 10 * tens) << 8;
}

/* Write the decimal digits of n; how many. 8 bytes at a time: as many may be written even where it has fewer. */
static int write_number(char *to, uint64_t n) {
    uint64_t digits;
    int written = 0, zeros = 0;
    if (!LITTLE_ENDIAN_BYTES) {
        if (n >= 10) written = write_number(to, n / 10);
        to[written] = (char)('0' + n % 10);
        return written + 1;
    }
    if (n < 100000000) {
        digits = eight_digits(n);
        zeros = digits ? lowest_bit(digits) / 8 : 7;
    } else {
        written = write_number(to, n / 100000000);
        digits = eight_digits(n % 100000000);
    }
    digits = (digits | 0x3030303030303030u) >> 8 * zeros;
    memcpy(to + written, &digits, 8);
    return written + 8 - zeros;
}

/* ---- ids ----------------------------------------------------------------------------------------- */

/* memcpy, and memcmp == 0, for short ids without a call. Neither touches a byte outside its n. */
static inline void copy_id(char *to, const char *p, uint64_t n) {
    if (n >= 8 && n <= 16) {
        uint64_t a = load8(p), b = load8(p + n - 8);
        memcpy(to, &a, 8);
        memcpy(to + n - 8, &b, 8);
    } else if (n >= 4 && n < 8) {
        uint32_t a = load4(p), b = load4(p + n - 4);
        memcpy(to, &a, 4);
        memcpy(to + n - 4, &b, 4);
    } else if (n > 16 && n <= 32) {
        char a[16], b[16];
        memcpy(a, p, 16);
        memcpy(b, p + n - 16, 16);
        memcpy(to, a, 16);
        memcpy(to + n - 16, b, 16);
    } else memcpy(to, p, n);
}

static inline int same_8(const char *p, const char *q) { return load8(p) == load8(q); }

static inline int same_id(const char *p, const char *q, uint64_t n) {
    if (n >= 8 && n <= 16) return same_8(p, q) && same_8(p + n - 8, q + n - 8);
    if (n >= 4 && n < 8) return load4(p) == load4(q) && load4(p + n - 4) == load4(q + n - 4);
    if (n > 16 && n <= 32)
        return same_8(p, q) && same_8(p + 8, q + 8) && same_8(p + n - 16, q + n - 16) && same_8(p + n - 8, q + n - 8);
    return memcmp(p, q, n) == 0;
}

/* Byte order, a prefix first: strcmp's, for ids that may hold anything. */
static inline int compare_ids(const char *p, uint64_t n, const char *q, uint64_t m) {
    int c = memcmp(p, q, n < m ? n : m);
    return c ? c : (n > m) - (n < m);
}

static inline uint64_t stir(uint64_t x) { x *= 0x9E3779B97F4A7C15u; return x ^ (x >> 32); }

/* Set anew in every process, so that nobody can prepare a submission whose ids all collide. */
static uint64_t SALT;

/* A hash of [p, p + n) that depends on a key; reads nothing outside it. */
static inline uint64_t keyed_id(const char *p, uint64_t n, uint64_t key) {
    uint64_t h = key ^ (n * 0xD6E8FEB86659FD93u);
    if (n >= 8) {
        for (; n > 8; n -= 8, p += 8) h = stir(h ^ load8(p));
        h = stir(h ^ load8(p + n - 8));
    } else if (n >= 4) {
        h = stir(h ^ ((uint64_t)load4(p) << 32 | load4(p + n - 4)));
    } else if (n) {
        h = stir(h ^ ((uint64_t)(unsigned char)p[0] << 16 | (uint64_t)(unsigned char)p[n / 2] << 8
                      | (unsigned char)p[n - 1]));
    }
    return stir(h + key);
}

static inline uint64_t hash_id(const char *p, uint64_t n) { return keyed_id(p, n, SALT); }

/* ---- lines that begin alike ----------------------------------------------------------------------- */

enum { BLOCK = 64 };           /* so many lines are cut at once */

typedef struct { const char *id; uint64_t n, hash; double score; } Cut;        /* a document and its score */

INLINED int is_gap(char c) { return c == ' ' || c == '\t'; }

/* The rest of a run's line, from its document on, where one blank stands between its columns, all of which are among
   those found: the start of the next line, or NULL where the line is otherwise, or its score hard to read. */
INLINED const char *cut_rest(const char *p, uint64_t blanks, Cut *cut) {
    uint64_t second = blanks & (blanks - 1), third = second & (second - 1), last = third & (third - 1);
    const char *score, *score_end, *end;
    if (!last || blanks & (blanks << 1 | 1) & (last ^ (last - 1))) return 0;       /* a column is empty */
    cut->id = p;
    cut->n = (uint64_t)lowest_bit(blanks);
    score = p + lowest_bit(second) + 1;
    score_end = p + lowest_bit(third);
    end = p + lowest_bit(last);
    if (!is_gap(p[cut->n]) || !is_gap(score[-1]) || !is_gap(*score_end) || *end != '\n') return 0;
    if (!short_number(score, score_end, &cut->score) && number(score, score_end, &cut->score)) return 0;
    return end + 1;
}

/* Cut the lines from p on that begin with the n bytes at `as`, a query and its iteration: at most PAD. Ends at the first
   other line, or one that needs a closer look. Looks at PAD bytes behind a document's start, and 8 before a score's end. */
INLINED const char *cut_all(const char *p, const char *end, const char *as, uint64_t n, Cut *cut, int *cuts) {
    const char *next;
    for (*cuts = 0; *cuts < BLOCK && p < end && same_id(p, as, n); ++*cuts, ++cut, p = next) {
        next = cut_rest(p + n, blanks_of(p + n, 32), cut);           /* which most lines fit in */
        if (!next) next = cut_rest(p + n, blanks_of(p + n, 64), cut);
        if (!next) break;
        cut->hash = hash_id(cut->id, cut->n);
    }
    return p;
}

BITS static const char *cut_by_bits(const char *p, const char *end, const char *as, uint64_t n, Cut *cut, int *cuts) {
    return cut_all(p, end, as, n, cut, cuts);
}

static inline const char *cut_alike(const char *p, const char *end, const char *as, uint64_t n, Cut *cut, int *cuts) {
    return HAS_BITS ? cut_by_bits(p, end, as, n, cut, cuts) : cut_all(p, end, as, n, cut, cuts);
}

#endif
