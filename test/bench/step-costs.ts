import { NO_TRAFFIC, type Traffic } from './round-trips.ts';
import { spreadOf } from './slices.ts';

/** Cost of a step in Redis traffic and requests. */
export interface Cost extends Traffic {
  /** Commands, including those that scripts execute inside Redis. */
  withScripts: number;
  /** Bot API calls and requests to the service. */
  requests: number;
}

export interface StepCost extends Cost {
  step: string;
}

const NOTHING: Cost = { ...NO_TRAFFIC, withScripts: 0, requests: 0 };
const FIGURES = Object.keys(NOTHING) as (keyof Cost)[];

/** Collects the costs of steps that are measured several times. */
export function createStepCosts() {
  const taken = new Map<string, Cost[]>();

  function combined(combine: (values: number[]) => number, costs: Cost[]): Cost {
    const cost = { ...NOTHING };
    for (const name of FIGURES) cost[name] = combine(costs.map((one) => one[name]));
    return cost;
  }

  return {
    add(step: string, cost: Cost): void {
      taken.set(step, [...(taken.get(step) ?? []), cost]);
    },
    /** Returns the median of short steps, which excludes those during recurring work, and the mean of the others. */
    medians: (isShort: (step: string) => boolean): StepCost[] =>
      [...taken].map(([step, costs]) => {
        const combine = isShort(step) ? (values: number[]) => spreadOf(values).median : mean;
        return { step, ...combined(combine, costs) };
      }),
  };
}

function mean(values: number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / values.length;
}
