import { runOptions } from '../../support/run-options.ts';
import { runVitest } from '../../support/run-vitest.ts';
import { asProcess, say } from '../../support/script.ts';

const USAGE = `Executes random operations in the simulated rental service and audits its money.

  npm run conservation                                    108000 operations
  npm run conservation -- --operations <count> --seed <number>
                        another number, or those of the seed that a failure printed
`;

async function run(): Promise<number> {
  const options = runOptions(USAGE, { operations: 108_000 });
  if (typeof options === 'number') return options;
  say(`seed ${options.seed}`);
  const env = { CONSERVATION_OPERATIONS: `${options.operations}`, CONSERVATION_SEED: `${options.seed}` };
  return runVitest('test/sandbox/conservation.test.ts', { reporters: ['verbose'], env });
}

asProcess(run);
