#pragma once

#include "core/energy/condition_curve.h"

namespace keydrape {

// A column of length L and bending stiffness k_b whose ends have come together to z L, 0 <= z <= 1, bent to
// an arc of constant curvature (Choi & Ko 2002): phi = f_b L^2/k_b, the force, and its slope by z (W8).
struct BuckledColumn {
  double phi;    // -12 where it begins, -4 pi^2 where its ends meet
  double slope;  // > 0, 7.2 where it begins
};
BuckledColumn buckled_column(double z);

// The response of cloth that folds between the vertices of its mesh (W9), (W10): pushed together it bears the
// load of a column of `fold_length` and hardly any more; pulled it is as stiff as ever, after a slack that
// nobody sees. ratio = bend/(k fold_length^2), > 0.
ConditionCurve buckling_curve(double ratio);

}  // namespace keydrape
