import * as prometheus from 'prom-client';
import { createMetrics, type Metrics } from '../../src/metrics.ts';
import { KINDS } from '../../src/operations/operations.ts';

export const operationKinds = KINDS.map(({ name }) => name);

/** Creates the metrics of the app. */
export const allMetrics = (): Metrics => createMetrics(prometheus, { operationKinds });

export const { declarations } = allMetrics();

export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** Reads the samples of a response in Prometheus's text format. */
export async function samplesOf(response: Response | undefined): Promise<Sample[]> {
  const lines = ((await response?.text()) ?? '').split('\n').filter((line) => /^\w/.test(line));
  return lines.map((line) => {
    const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text]);
    return { name, labels: Object.fromEntries(pairs), value: Number(value) };
  });
}

/** Returns the sum of the samples with this name and these labels; `undefined` without any. */
export function sumOf(samples: readonly Sample[], name: string, labels: Sample['labels'] = {}) {
  const found = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}
