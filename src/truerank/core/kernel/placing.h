/* Placing scores of 32 bits among some of their own, 16 at a time, by AVX-512. Plain C, no allocation, no Python. */
#ifndef TRUERANK_PLACING_H
#define TRUERANK_PLACING_H

#include <stdint.h>

enum { MOST_PLACED = 127 };    /* own scores: a search of at most 7 steps, whose tables stay in registers */

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#define WIDE __attribute__((target("avx512f")))
#define HAS_WIDE __builtin_cpu_supports("avx512f")

enum { LANES = 16, STEPS = 7 };

/* The own scores that a search may meet in its s-th step, in order: one, two, four, ... 64; infinite behind the last. */
WIDE static int tables_of(const float *own, int64_t n, __m512 table[STEPS][4]) {
    int steps = 1, s, i, width;
    float met[64];
    while ((1 << steps) <= n) steps++;
    for (s = 0; s < steps; s++) {
        width = 1 << (steps - s);                /* of the own scores that are left before this step, and one more */
        for (i = 0; i < 64; i++) {
            int at = (i & ((1 << s) - 1)) * width + width / 2 - 1;
            met[i] = at < n ? own[at] : __builtin_inff();
        }
        for (i = 0; i < 4; i++) table[s][i] = _mm512_loadu_ps(met + LANES * i);
    }
    return steps;
}

/* One step: whether the score is more than what it meets, as the next bit of how many are less. */
#define STEP(own) do { \
        __m512 met = (own); \
        __mmask16 is_less = _mm512_cmp_ps_mask(met, score, _CMP_LT_OQ); \
        next = _mm512_mask_mov_ps(met, is_less, next); \
        less = _mm512_add_epi32(less, less); \
        less = _mm512_mask_add_epi32(less, is_less, less, one); \
    } while (0)

/* For each score of a part of a row that is not below all of the own ones, how many of these are less, into `place`;
   returns how many scores that are. Scores that equal one of the own are counted in `equal`. `part` has `length`
   entries, and `place` room for 15 more. */
WIDE static int64_t place_part(const float *part, int64_t length, const float *own, int64_t n,
                               __m512 table[STEPS][4], int steps, int32_t *place, int64_t *equal) {
    const __m512 lowest = _mm512_set1_ps(own[0]), infinite = _mm512_set1_ps(__builtin_inff());
    const __m512i one = _mm512_set1_epi32(1), half = _mm512_set1_epi32(32);
    int64_t i, count = 0;
    for (i = 0; i < length; i += LANES) {
        __mmask16 there = length - i < LANES ? (__mmask16)((1u << (length - i)) - 1) : (__mmask16)0xFFFF, same;
        __m512 score = _mm512_maskz_loadu_ps(there, part + i), next = infinite;    /* the least that is not less */
        __m512i less = _mm512_setzero_si512();
        there = _mm512_mask_cmp_ps_mask(there, score, lowest, _CMP_GE_OQ);
        if (!there) continue;                    /* in good systems, most */
        STEP(table[0][0]);
        if (steps > 1) STEP(_mm512_permutexvar_ps(less, table[1][0]));
        if (steps > 2) STEP(_mm512_permutexvar_ps(less, table[2][0]));
        if (steps > 3) STEP(_mm512_permutexvar_ps(less, table[3][0]));
        if (steps > 4) STEP(_mm512_permutexvar_ps(less, table[4][0]));
        if (steps > 5) STEP(_mm512_permutex2var_ps(table[5][0], less, table[5][1]));
        if (steps > 6)
            STEP(_mm512_mask_mov_ps(_mm512_permutex2var_ps(table[6][0], less, table[6][1]),
                                    _mm512_test_epi32_mask(less, half),
                                    _mm512_permutex2var_ps(table[6][2], less, table[6][3])));
        _mm512_storeu_si512(place + count, _mm512_maskz_compress_epi32(there, less));
        same = _mm512_mask_cmp_ps_mask(there, score, next, _CMP_EQ_OQ);
        if (same) {                              /* rarely: and not those that equal what stands behind the own */
            int32_t each[LANES];
            unsigned lanes = same;
            _mm512_storeu_si512(each, less);
            for (; lanes; lanes &= lanes - 1) {
                int32_t of = each[__builtin_ctz(lanes)];
                if (of < n) equal[of]++;
            }
        }
        count += __builtin_popcount(there);
    }
    return count;
}

/* Count for the n own scores, ascending, which of a row are better into `better` and which equal them into `equal`;
   both hold n zeros. Of own scores that are equal the first is counted for. */
WIDE static void place_row(const float *row, int64_t width, const float *own, int64_t n, int64_t *better, int64_t *equal) {
    enum { PART = 1024, TURNS = 4 };    /* counters in turns: one that was just written is slow to read */
    __m512 table[STEPS][4];
    int32_t place[PART + LANES];
    int64_t placed[TURNS][MOST_PLACED + 1] = {{0}}, begin, i, count, above = 0;
    int steps = tables_of(own, n, table);
    for (begin = 0; begin < width; begin += PART) {
        count = place_part(row + begin, width - begin < PART ? width - begin : PART, own, n, table, steps, place, equal);
        for (i = 0; i + TURNS <= count; i += TURNS) {    /* at most n: what stands behind the own is never less */
            placed[0][place[i]]++;
            placed[1][place[i + 1]]++;
            placed[2][place[i + 2]]++;
            placed[3][place[i + 3]]++;
        }
        for (; i < count; i++) placed[0][place[i]]++;
    }
    for (i = n; i--;) better[i] = above += placed[0][i + 1] + placed[1][i + 1] + placed[2][i + 1] + placed[3][i + 1];
}

#else
#define HAS_WIDE 0
static void place_row(const float *row, int64_t width, const float *own, int64_t n, int64_t *better, int64_t *equal) {
    (void)row, (void)width, (void)own, (void)n, (void)better, (void)equal;
}
#endif
#endif
