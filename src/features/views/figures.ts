import { orTimeout } from '../../platform/async.ts';

const FIGURE_TIMEOUT_MS = 2_000;

/** Value that was read, which may be zero or `undefined` itself. The figure is `undefined` if reading failed. */
export type Figure<Value> = { value: Value } | undefined;
type Figures<Readings> = { [Name in keyof Readings]: Figure<Awaited<Readings[Name]>> };

/** Reads all figures at once. One that fails or takes too long doesn't affect the others. */
export async function readFigures<Readings extends Record<string, Promise<unknown>>>(
  readings: Readings,
): Promise<Figures<Readings>> {
  const read = async ([name, reading]: [string, Promise<unknown>]) => {
    const figure = reading.then(
      (value) => ({ value }),
      () => undefined,
    );
    return [name, await orTimeout(figure, FIGURE_TIMEOUT_MS)];
  };
  return Object.fromEntries(await Promise.all(Object.entries(readings).map(read)));
}
