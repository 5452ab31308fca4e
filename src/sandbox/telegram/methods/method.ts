import { z } from 'zod';
import { badRequest } from '../refusal.ts';
import type { Uploads } from '../uploads.ts';
import type { World } from '../world.ts';

export interface ApiRequest {
  params: Readonly<Record<string, unknown>>;
  uploads: Uploads;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
}

export interface Method {
  readonly name: string;
  /** @throws Refusal */
  run(request: ApiRequest, world: World): unknown;
}

/** Creates a Bot API method from its name, its parameters' schema and its implementation. */
export function method<Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  run: (params: z.output<z.ZodObject<Shape>>, world: World, request: ApiRequest) => unknown,
): Method {
  const fields = z.object(shape);
  return {
    name,
    run(request, world) {
      const params = fields.safeParse(request.params);
      if (params.success) return run(params.data, world, request);
      const issue = params.error.issues[0];
      throw badRequest(`field "${issue?.path.join('.')}": ${issue?.message}`);
    },
  };
}
