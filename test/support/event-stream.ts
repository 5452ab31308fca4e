/** Reads server-sent events. A comment is an event without a kind. */
export async function* readEvents({ body }: Response): AsyncGenerator<{ kind?: string; data: string }> {
  if (!body) throw new Error('the response has no body');
  let text = '';
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + piece).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const kind = /^event: (.*)$/m.exec(block)?.[1];
      yield { ...(kind !== undefined && { kind }), data: /^data: (.*)$/m.exec(block)?.[1] ?? '' };
    }
  }
}
