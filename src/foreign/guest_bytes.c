// The program of guests as bytes: libraries and wheels need no second file beside them.
__asm__(".section .rodata\n"
        ".balign 16\n"
        ".hidden bondyn_guest_begin\n"
        ".globl bondyn_guest_begin\n"
        "bondyn_guest_begin:\n"
        ".incbin \"" BONDYN_GUEST "\"\n"
        ".hidden bondyn_guest_end\n"
        ".globl bondyn_guest_end\n"
        "bondyn_guest_end:\n"
        ".byte 0\n"
        ".previous\n");
