command-smart-mode = Автоматическая энергия
button-smart-mode = 🔁 Smart Mode
smart-mode-title = { $action ->
        [start] 🔁 Включить
        [pause] ⏸ Приостановить
        [resume] ▶️ Возобновить
       *[end] ⏹ Завершить
    } Smart Mode
smart-mode-short = Smart Mode: { $action ->
        [start] старт
        [pause] пауза
        [resume] снова
       *[end] конец
    }

## Список
smart-mode-list =
    <b>Smart Mode</b>

    Сервис сам пополняет адрес энергией. Есть плата за сутки и плата за каждый перевод.
smart-mode-none = Адресов пока нет.
smart-mode-more = … и ещё { $count }
smart-mode-entry = { $number }. { $status ->
        [active] ▶️ <b>работает</b>
        [paused] ⏸ <b>приостановлен</b>
       *[other] <code>{ $status }</code>
    } · BW Guarantee: { $guarantee ->
        [on] да
       *[off] нет
    }
button-smart-mode-start = ➕ Включить для адреса
button-pause = ⏸ Приостановить { $number }
button-resume = ▶️ Возобновить { $number }
button-end = ⏹ Завершить { $number }…
toast-no-subscription = Этой подписки больше нет.

## Вопросы
smart-mode-address = <b>🔁 1/3</b> · С какого адреса вы часто отправляете USDT? Пришлите его. Пакета переводов у него быть не должно.
smart-mode-label =
    <b>🔁 2/3</b> · Для: <code>{ $address }</code>

    Название (по желанию, до 32 символов)
button-no-label = Пропустить
problem-label = Пришлите название до 32 символов или нажмите «Пропустить».
smart-mode-guarantee =
    <b>🔁 3/3</b> · Для: <code>{ $address }</code>

    Добавить и bandwidth? +{ AMOUNT($extra) } TRX за перевод
button-guarantee-on = Добавить BW Guarantee
button-guarantee-off = Только энергия

## Карточка
smart-mode-terms-start =
    Плата за сутки: { $fee ->
        [none] <b>назначит сервис</b>
       *[other] около <b>{ AMOUNT($fee) } TRX</b>
    }, первая списывается сразу
    За перевод: { $transfer ->
        [none] { $listed ->
            [none] <b>назначит сервис</b>
           *[other] назначит сервис, отдельный перевод стоит <b>{ AMOUNT($listed) } TRX</b>
        }
       *[other] около <b>{ AMOUNT($transfer) } TRX</b>
    }
    BW Guarantee: { $guarantee ->
        [on] <b>да</b>, +{ AMOUNT($extra) } TRX за перевод
       *[off] <b>нет</b>
    }
smart-mode-terms-pause = Пока не возобновите: ни энергии, ни платы.
smart-mode-terms-resume = Энергия снова приходит сама, плата снова списывается.
smart-mode-terms-end = <b>Отменить это нельзя.</b> На возврат платы за сегодня не рассчитывайте.
smart-mode-truth = <i>Подтверждённое изменение не отозвать.</i>
smart-mode-going = ⏳ <b>Меняю…</b>
smart-mode-done = ✅ <b>Готово</b>
smart-mode-differs = ⚠️ <b>Статус не тот, что вы просили</b>
smart-mode-refused = ❌ <b>Не сделано.</b> Ничего не изменилось.
smart-mode-likely = 🟡 <b>Скорее всего, сделано</b>
smart-mode-again = Повторить
smart-mode-anyway = Всё равно сделать
smart-mode-filter = 🔁 Smart Mode

## Что теперь действует
smart-mode-is-start = ✅ <b>Smart Mode включён</b>
smart-mode-is-pause = ✅ <b>Smart Mode приостановлен:</b> ни энергии, ни платы
smart-mode-is-resume = ✅ <b>Smart Mode снова работает</b>
smart-mode-is-end = ✅ <b>Smart Mode завершён</b>
smart-mode-now-start =
    Плата за сутки: { $fee ->
        [none] неизвестна, смотрите баланс
       *[other] <b>{ AMOUNT($fee) } TRX</b>, первая уже списана
    }
    За перевод: { $transfer ->
        [none] неизвестно
       *[other] <b>{ AMOUNT($transfer) } TRX</b>
    }
smart-mode-status = Статус: <code>{ $status }</code>
