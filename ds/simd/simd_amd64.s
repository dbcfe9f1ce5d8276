#include "textflag.h"

// func avx2Dot(v, w *float32, n int) float32
TEXT ·avx2Dot(SB), NOSPLIT, $0-28
	MOVQ   v+0(FP), SI
	MOVQ   w+8(FP), DI
	MOVQ   n+16(FP), CX
	VXORPS Y0, Y0, Y0 // lanes 0 to 7
	VXORPS Y1, Y1, Y1 // lanes 8 to 15

row:
	VMOVUPS (SI), Y2
	VMOVUPS 32(SI), Y3
	VMULPS  (DI), Y2, Y2
	VMULPS  32(DI), Y3, Y3
	VADDPS  Y2, Y0, Y0
	VADDPS  Y3, Y1, Y1
	ADDQ    $64, SI
	ADDQ    $64, DI
	SUBQ    $16, CX
	JNZ     row

	VADDPS       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VPERMILPS    $0x0e, X0, X1 // lanes 2 and 3
	VADDPS       X1, X0, X0
	VPERMILPS    $0x01, X0, X1
	VADDSS       X1, X0, X0
	VZEROUPPER
	MOVSS        X0, ret+24(FP)
	RET

// func avx2Squares(v, w *float32, n int) float32
TEXT ·avx2Squares(SB), NOSPLIT, $0-28
	MOVQ   v+0(FP), SI
	MOVQ   w+8(FP), DI
	MOVQ   n+16(FP), CX
	VXORPS Y0, Y0, Y0 // lanes 0 to 7
	VXORPS Y1, Y1, Y1 // lanes 8 to 15

row:
	VMOVUPS (SI), Y2
	VMOVUPS 32(SI), Y3
	VSUBPS  (DI), Y2, Y2
	VSUBPS  32(DI), Y3, Y3
	VMULPS  Y2, Y2, Y2
	VMULPS  Y3, Y3, Y3
	VADDPS  Y2, Y0, Y0
	VADDPS  Y3, Y1, Y1
	ADDQ    $64, SI
	ADDQ    $64, DI
	SUBQ    $16, CX
	JNZ     row

	VADDPS       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VPERMILPS    $0x0e, X0, X1 // lanes 2 and 3
	VADDPS       X1, X0, X0
	VPERMILPS    $0x01, X0, X1
	VADDSS       X1, X0, X0
	VZEROUPPER
	MOVSS        X0, ret+24(FP)
	RET

// func avx2DotInts(v, w *int8, n int) int32
TEXT ·avx2DotInts(SB), NOSPLIT, $0-28
	MOVQ  v+0(FP), SI
	MOVQ  w+8(FP), DI
	MOVQ  n+16(FP), CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	SUBQ  $32, CX
	JLT   last

pair:
	VPMOVSXBW (SI), Y2
	VPMOVSXBW (DI), Y3
	VPMOVSXBW 16(SI), Y4
	VPMOVSXBW 16(DI), Y5
	VPMADDWD  Y2, Y3, Y2
	VPMADDWD  Y4, Y5, Y4
	VPADDD    Y2, Y0, Y0
	VPADDD    Y4, Y1, Y1
	ADDQ      $32, SI
	ADDQ      $32, DI
	SUBQ      $32, CX
	JGE       pair

last: // a row is left if the number of rows is odd
	ADDQ      $32, CX
	JZ        sum
	VPMOVSXBW (SI), Y2
	VPMOVSXBW (DI), Y3
	VPMADDWD  Y2, Y3, Y2
	VPADDD    Y2, Y0, Y0

sum:
	VPADDD       Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x0e, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x01, X0, X1
	VPADDD       X1, X0, X0
	VZEROUPPER
	MOVL         X0, ret+24(FP)
	RET

// func prefetch(p unsafe.Pointer, n int)
TEXT ·prefetch(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	ADDQ SI, CX // the end
	ANDQ $~63, SI

line:
	PREFETCHT0 (SI)
	ADDQ       $64, SI
	CMPQ       SI, CX
	JLT        line
	RET
