import { type ActName, type Acts, createActs } from './acts.ts';

/** Runs both stand-ins and the users in this process, which executes its parent's requests and ends with it. */
async function run(): Promise<void> {
  const acts: Acts = await createActs();
  process.on('message', ({ id, act, about }: { id: number; act: ActName; about: never }) => {
    const answer = Promise.resolve().then((): unknown => acts[act](about));
    answer.then(
      (result) => process.send?.({ id, result }),
      (error: Error) => process.send?.({ id, error: error.message }),
    );
  });
  process.send?.('ready');
}

process.once('disconnect', () => process.exit(0));
void run();
