/**
 * Shows whether all money is accounted for, and the parts of the service's purse.
 * @param {{ verdict: HTMLElement, purse: HTMLElement }} parts
 */
export function createAudit({ verdict, purse }) {
  return (audit) => {
    write(verdict, words(audit));
    verdict.classList.toggle('good', audit?.ok === true);
    verdict.classList.toggle('bad', audit?.ok === false);
    write(purse, madeOf(audit));
  };
}

function words(audit) {
  if (!audit) return '';
  if (audit.ok) return 'Everything adds up, to the sun.';
  return `Doesn’t add up. ${(audit.faults ?? []).join('; ')}`;
}

function madeOf({ balances, held, income } = {}) {
  if (!balances || !held || !income) return '';
  const usdt = income.usdt === '0.00' ? '' : ` and ${income.usdt} USDT`;
  return `The service’s purse: ${balances.trx} TRX of balances, ${held.trx} held, ${income.trx}${usdt} earned.`;
}

function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
