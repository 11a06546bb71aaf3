// What runs have to be shown, one of them or more.

const capital = (word) => word[0].toUpperCase() + word.slice(1);

export function abilitiesOf(runs) {
  const some = (test) => runs.some(test);
  const name = runs[0].mainTake?.name ?? 'controlled';
  return {
    hasFree: some((run) => run.uncontrolledTake && run.uncontrolledTake !== run.mainTake),
    hasForces: some((run) => run.forces && run.mainTake), // arrows begin at its vertices
    hasContacts: some((run) => run.contacts),
    hasKeyframes: some((run) => run.hasTargets),
    hasBodies: some((run) => run.bodies.length > 0),
    hasUvs: some((run) => run.uvs),
    mainName: capital(name),
    unforcedName: capital((runs.find((run) => run.uncontrolledTake) ?? runs[0]).unforcedName),
    titles: runs.map((run) => run.title),
  };
}
