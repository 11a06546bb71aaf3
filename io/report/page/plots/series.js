// The series of a plot: of every run and quantity one.

function labelOf(run, label, runCount, quantityCount) {
  if (runCount === 1) return label;
  return quantityCount === 1 ? run.title : `${run.title}: ${label}`;
}

// One series for each run and quantity. A colour means a run where runs are compared, and a quantity where
// there is one run; the dash means the other.
export function seriesOf(runs, quantities, x) {
  return runs.flatMap((run, r) =>
    quantities.map(({ label, values }, q) => ({
      label: labelOf(run, label, runs.length, quantities.length),
      x: x(run),
      y: values(run),
      colour: runs.length > 1 ? r : q,
      dash: runs.length > 1 && quantities.length === 1 ? r : q,
    })),
  );
}
