// Signatures: the value of an expression at a random point, in a finite field.
//
//   p = 2^63 - 25 is prime. Symbols stand for random residues, doubles m*2^e for their exact value
//   modulo p, sums and products for sums and products. sin and cos share a random t:
//
//       sin = 2t/(1 + t^2)      cos = (1 - t^2)/(1 + t^2)      so that sin^2 + cos^2 = 1
//
//   Other functions give a random residue that depends on their arguments' signatures. Expressions
//   that are equal by the rules of algebra have equal signatures; different ones have different
//   signatures but for a chance of about degree/2^63 (Schwartz and Zippel). The points are fixed:
//   every run gives the same.
#ifndef BONDYN_EXPR_SIGNATURE_H
#define BONDYN_EXPR_SIGNATURE_H

#include <stdint.h>

typedef uint64_t Signature;

Signature sign_random(uint64_t seed);
Signature sign_mix(Signature a, Signature b); // random, depends on the order
Signature sign_number(double x);              // of a finite number
Signature sign_add(Signature a, Signature b);
Signature sign_multiply(Signature a, Signature b);
Signature sign_power(Signature a, long n);        // n < 0: of the inverse
Signature sign_real_power(Signature a, double n); // whole part by multiplication, the rest random
Signature sign_sin(Signature x);
Signature sign_cos(Signature x);

#endif
