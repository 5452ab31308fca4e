/** Returns a promise and the function that resolves it. */
export function createSignal(): { raised: Promise<void>; raise: () => void } {
  let raise = () => {};
  const raised = new Promise<void>((resolve) => {
    raise = resolve;
  });
  return { raised, raise: () => raise() };
}
