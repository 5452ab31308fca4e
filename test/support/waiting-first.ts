import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { WAITING } from './test-files.ts';

const waits = ({ moduleId }: TestSpecification) => WAITING.some((path) => moduleId.endsWith(`/${path}`));

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
