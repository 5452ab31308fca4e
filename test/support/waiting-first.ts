import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that mostly wait for the bot, Redis or npm and use little CPU time. */
const WAITING = [
  'platform/jobs/bull.redis',
  'journeys/late-cards',
  'event-kills/event-kills',
  'journeys/killed',
  'journeys/redis-gone',
  'journeys/deliveries',
  'journeys/floods',
  'sandbox/run',
  'journeys/unknown-outcomes',
  'rental-api/classify',
];

const waits = ({ moduleId }: TestSpecification) =>
  WAITING.some((name) => moduleId.endsWith(`/test/${name}.test.ts`));

/** Starts waiting files early, alternating with computing files, so that neither kind remains alone at the end. */
export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waiting = sorted.filter(waits);
    const computing = sorted.filter((file) => !waits(file));
    const inTurn = waiting.flatMap((file, at) => [file, ...computing.slice(at, at + 1)]);
    return [...inTurn, ...computing.slice(waiting.length)];
  }
}
