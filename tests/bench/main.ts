import { benchAttacks } from './attacks.ts';
import { benchBytes } from './bytes.ts';
import { benchContainer } from './container.ts';
import { benchCrowds } from './crowds.ts';
import { benchInteractions } from './interactions.ts';
import { benchOpening } from './opening.ts';
import { showPlans } from './plans.ts';
import { report } from './report.ts';

/**
 * `npm run bench [container|bytes|crowds|interactions|opening|attacks]`: ratios to a bound of the same run, and waiting times. Exit
 * 1 when one misses its limit. `npm run bench plans [folders] [files]` takes long and runs only by its name: prints
 * the query plan of each statement in a large database.
 */
const [, , wanted, ...sizes] = process.argv;
if (wanted === 'plans') process.exit(await showPlans(...sizes));

const benches = {
  container: benchContainer,
  bytes: benchBytes,
  crowds: () => benchCrowds(sizes[0]),
  interactions: benchInteractions,
  opening: benchOpening,
  attacks: benchAttacks,
};

const chosen = Object.entries(benches).filter(([name]) => wanted === undefined || wanted === name);
if (chosen.length === 0) {
  console.error(`No such bench. There are: ${Object.keys(benches).join(', ')}, plans`);
  process.exit(1);
}
const rows = [];
for (const [, bench] of chosen) rows.push(...(await bench()));
process.exit(report(rows) ? 0 : 1);
