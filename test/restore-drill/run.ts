import { runOptions } from '../support/run-options.ts';
import { asProcess, say } from '../support/script.ts';
import { restoreDrill } from './restore-drill.ts';

const USAGE = `Restores an older backup of Redis after purchases, and checks that nothing is charged twice and what users read.

  npm run restore-drill                                  with 20 users
  npm run restore-drill -- --people <count> --seed <number>
`;

async function run(): Promise<number> {
  const options = runOptions(USAGE, { people: 20 });
  if (typeof options === 'number') return options;
  say(`seed ${options.seed}`);
  const { purchases, underWay, findings } = await restoreDrill(options);
  for (const finding of findings) say(finding);
  say(
    `purchases ${purchases}, under way at the backup ${underWay}, findings after the restore ${findings.length}`,
  );
  return findings.length > 0 ? 1 : 0;
}

asProcess(run);
