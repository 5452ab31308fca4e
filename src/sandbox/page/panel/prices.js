import { rental } from '../api.js';
import { onSubmit } from './card.js';

/** Creates the form that changes the price of a unit of energy. */
export function createPrices(form, run, toast) {
  const { hour, day } = form.elements;
  let current;

  onSubmit(form, () =>
    run(async () => {
      await rental.setEnergyPrices({ '1h': hour.value, '24h': day.value });
      toast('Prices changed');
    }),
  );

  return {
    /** Shows the prices in the fields if they have changed. Otherwise keeps what the user typed. */
    show({ energy_sun }) {
      const prices = JSON.stringify(energy_sun);
      if (prices === current) return;
      current = prices;
      hour.value = energy_sun['1h'];
      day.value = energy_sun['24h'];
    },
    count: ({ energy_sun }) => `${energy_sun['1h']} sun`,
  };
}
