// The series of a plot: of every run and quantity one, and which of them have anything to show.

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

// Descriptions as LinePlot takes them, without series that have no value, and without plots that are left
// with none. On a logarithmic axis only what is above 0 has a place.
export function filled(descriptions) {
  const isShown = (value, log) => Number.isFinite(value) && (!log || value > 0);
  return descriptions
    .map(({ series, ...description }) => ({
      ...description,
      series: series.filter(({ y }) => y.some((value) => isShown(value, description.log))),
    }))
    .filter(({ series }) => series.length > 0);
}
