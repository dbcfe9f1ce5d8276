#include "textflag.h"

// The assembler does not know these instructions. They take registers of vectors by number: d is
// the result, n and m are the operands.
#define FMUL4S(d, n, m) WORD $(0x6e20dc00 | m<<16 | n<<5 | d)
#define FSUB4S(d, n, m) WORD $(0x4ea0d400 | m<<16 | n<<5 | d)
#define FADD4S(d, n, m) WORD $(0x4e20d400 | m<<16 | n<<5 | d)
#define SMULL8H(d, n, m) WORD $(0x0e20c000 | m<<16 | n<<5 | d) // of the lower halves
#define SMULL28H(d, n, m) WORD $(0x4e20c000 | m<<16 | n<<5 | d) // of the upper halves
#define SADALP4S(d, n) WORD $(0x4e606800 | n<<5 | d) // adds pairs to d

// func neonDot(v, w *float32, n int) float32
TEXT ·neonDot(SB), NOSPLIT, $0-28
	MOVD v+0(FP), R0
	MOVD w+8(FP), R1
	MOVD n+16(FP), R2
	VEOR V0.B16, V0.B16, V0.B16 // V0 to V3: lanes 0 to 15
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16

row:
	VLD1.P 64(R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 64(R1), [V16.S4, V17.S4, V18.S4, V19.S4]
	FMUL4S(4, 4, 16)
	FMUL4S(5, 5, 17)
	FMUL4S(6, 6, 18)
	FMUL4S(7, 7, 19)
	FADD4S(0, 0, 4)
	FADD4S(1, 1, 5)
	FADD4S(2, 2, 6)
	FADD4S(3, 3, 7)
	SUBS   $16, R2
	BNE    row

	FADD4S(0, 0, 2)
	FADD4S(1, 1, 3)
	FADD4S(0, 0, 1)
	VEXT  $8, V0.B16, V0.B16, V1.B16 // lanes 2 and 3
	FADD4S(0, 0, 1)
	VEXT  $4, V0.B16, V0.B16, V1.B16
	FADD4S(0, 0, 1)
	FMOVS F0, ret+24(FP)
	RET

// func neonSquares(v, w *float32, n int) float32
TEXT ·neonSquares(SB), NOSPLIT, $0-28
	MOVD v+0(FP), R0
	MOVD w+8(FP), R1
	MOVD n+16(FP), R2
	VEOR V0.B16, V0.B16, V0.B16 // V0 to V3: lanes 0 to 15
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16

row:
	VLD1.P 64(R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 64(R1), [V16.S4, V17.S4, V18.S4, V19.S4]
	FSUB4S(4, 4, 16)
	FSUB4S(5, 5, 17)
	FSUB4S(6, 6, 18)
	FSUB4S(7, 7, 19)
	FMUL4S(4, 4, 4)
	FMUL4S(5, 5, 5)
	FMUL4S(6, 6, 6)
	FMUL4S(7, 7, 7)
	FADD4S(0, 0, 4)
	FADD4S(1, 1, 5)
	FADD4S(2, 2, 6)
	FADD4S(3, 3, 7)
	SUBS   $16, R2
	BNE    row

	FADD4S(0, 0, 2)
	FADD4S(1, 1, 3)
	FADD4S(0, 0, 1)
	VEXT  $8, V0.B16, V0.B16, V1.B16 // lanes 2 and 3
	FADD4S(0, 0, 1)
	VEXT  $4, V0.B16, V0.B16, V1.B16
	FADD4S(0, 0, 1)
	FMOVS F0, ret+24(FP)
	RET

// func neonDotInts(v, w *int8, n int) int32
TEXT ·neonDotInts(SB), NOSPLIT, $0-28
	MOVD v+0(FP), R0
	MOVD w+8(FP), R1
	MOVD n+16(FP), R2
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16

row:
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R1), [V3.B16]
	SMULL8H(4, 2, 3)
	SMULL28H(5, 2, 3)
	SADALP4S(0, 4)
	SADALP4S(1, 5)
	SUBS   $16, R2
	BNE    row

	VADD  V1.S4, V0.S4, V0.S4
	VADDV V0.S4, V0
	FMOVS F0, ret+24(FP)
	RET

// func prefetch(p unsafe.Pointer, n int)
TEXT ·prefetch(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD n+8(FP), R1
	ADD  R0, R1 // the end
	AND  $~63, R0

line:
	PRFM (R0), PLDL1KEEP
	ADD  $64, R0
	CMP  R1, R0
	BLT  line
	RET
