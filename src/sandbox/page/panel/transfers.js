import { rental } from '../api.js';
import { element } from '../element.js';
import { onSubmit } from './card.js';

/**
 * Creates the form for a transfer on the chain. The sender is optional. Suggests the known addresses.
 * @param {{ form: HTMLFormElement, known: HTMLDataListElement }} parts
 */
export function createTransfers({ form, known }, run, toast) {
  const { from, to, amount, currency } = form.elements;
  let offered;

  onSubmit(form, () =>
    run(async () => {
      const payer = from.value.trim() === '' ? {} : { from: from.value.trim() };
      await rental.transfer({
        ...payer,
        to: to.value.trim(),
        currency: currency.value,
        amount: amount.value,
      });
      toast(`${amount.value} ${currency.value} sent`);
    }),
  );

  return {
    offer(addresses) {
      const choices = addresses.map(({ address, name }) => ({ value: address, label: name ?? address }));
      const content = JSON.stringify(choices);
      if (content === offered) return;
      offered = content;
      known.replaceChildren(...choices.map((choice) => element('option', choice)));
    },
  };
}
