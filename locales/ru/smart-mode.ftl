command-smart-mode = Автоматическая энергия
button-smart-mode = 🔁 Smart Mode
smart-mode-title = { $action ->
        [start] 🔁 Включить
        [pause] ⏸ Приостановить
        [resume] ▶️ Возобновить
       *[end] ⏹ Завершить
    } Smart Mode
smart-mode-target = Адрес: <code>{ $address }</code>
smart-mode-short = Smart Mode: { $action ->
        [start] старт
        [pause] пауза
        [resume] снова
       *[end] конец
    }

## Список
smart-mode-list =
    <b>Smart Mode</b>

    Сервис сам поддерживает запас энергии на адресе. Вы платите за каждые сутки и за каждый перевод.
smart-mode-none = { $ended ->
        [yes] Активных адресов нет.
       *[no] Адресов пока нет.
    }
smart-mode-ended = ⏹ <b>завершён</b> { $at }
smart-mode-already = <b>{ refusal-listed }</b>
smart-mode-entry = { $number }. { $status ->
        [active] ▶️ <b>работает</b>
        [paused] ⏸ <b>приостановлен</b>
        [paused-elsewhere] ⏸ <b>приостановлен, вероятно, сервисом:</b> не хватило баланса?
       *[other] <code>{ $status }</code>
    } · { $guarantee ->
        [on] с bandwidth
       *[off] только энергия
    }
smart-mode-entry-daily = { $trx ->
        [none] Плата за сутки: неизвестна
       *[other] { AMOUNT($trx) } TRX за сутки { $of ->
            [own] (на { $day })
           *[any] (на { $day }, у вас может отличаться)
        }
    }
smart-mode-entry-transfer = { $trx ->
        [none] Плата за перевод: неизвестна
       *[other] { AMOUNT($trx) } TRX за перевод { $of ->
            [own] (на { $day })
           *[any] (на { $day }, у вас может отличаться)
        }
    }
smart-mode-entry-charged = Списано: { $trx ->
        [none] сервис не сообщил
       *[other] не меньше { AMOUNT($trx) } TRX
    }
smart-mode-entry-resume = ⚠️ При возобновлении может списаться плата за сегодня{ $trx ->
        [none] {""}
       *[other] {""}: { AMOUNT($trx) } TRX
    }.
smart-mode-charged-note = <i>В «Списано» входят первые сутки, если вы включили Smart Mode здесь, { $transfers ->
        [unread] но не переводы: отчёт сервиса сейчас недоступен
       *[read] и последние переводы, о которых сообщил сервис (нужны мгновенные уведомления)
    }. О плате за следующие сутки он не сообщает.</i>
smart-mode-paused-for = ⏸ <b>Smart Mode приостановлен</b> для <code>{ $address }</code>, вероятно, сервисом: не хватило баланса? Пока вы не возобновите его, энергии не будет.
button-smart-mode-start = ➕ Включить для адреса
button-pause = ⏸ Приостановить { $number }
button-resume = ▶️ Возобновить { $number }
button-end = ⏹ Завершить { $number }…

## Вопросы
smart-mode-address = <b>🔁 1/3</b> · С какого адреса вы часто отправляете USDT? Пришлите его. Пакета переводов у него быть не должно.
smart-mode-label =
    <b>🔁 2/3</b> · Для: <code>{ $address }</code>

    Название (по желанию, до 32 символов)
problem-label = Пришлите название до 32 символов или нажмите «{ button-skip }».
smart-mode-guarantee =
    <b>🔁 3/3</b> · Для: <code>{ $address }</code>

    Добавить и bandwidth (<i>BW Guarantee</i>)? +{ AMOUNT($extra) } TRX за перевод. Если своего bandwidth адресу не хватит, за каждый перевод сгорят TRX.
button-guarantee-on = Добавить bandwidth
button-guarantee-off = Только энергия

## Карточка
smart-mode-fee-daily = Плата за сутки: { $trx ->
        [none] <b>пока неизвестна</b>
       *[other] <b>{ AMOUNT($trx) } TRX</b> при последнем списании, { $of ->
            [own] { $day }
           *[any] { $day } (у вас может отличаться)
        }
    }
smart-mode-fee-transfer = { $guarantee ->
        [on] За перевод вместе с bandwidth
       *[off] За перевод
    }: { $trx ->
        [none] <b>пока неизвестно</b>
       *[other] <b>{ AMOUNT($trx) } TRX</b> на { $of ->
            [own] { $day }
           *[any] { $day } (у вас может отличаться)
        }
    }
smart-mode-fee-bandwidth = В том числе { AMOUNT($extra) } TRX за bandwidth
smart-mode-fee-single = { $guarantee ->
        [on] Для сравнения: отдельный перевод с bandwidth стоит { AMOUNT($single) } TRX
       *[off] Для сравнения: отдельный перевод стоит { AMOUNT($single) } TRX
    }
smart-mode-fees-unknown = ⚠️ Пока неизвестную плату сервис назовёт только после подтверждения. Вы увидите её в чеке и в разделе «{ button-smart-mode }». Слишком дорого? Завершите Smart Mode там, и плата больше не спишется.
smart-mode-short-of-funds = ⚠️ <b>На балансе может не хватить на плату за первые сутки.</b> Тогда сервис откажет и ничего не спишет. Сначала пополните баланс.
smart-mode-terms-start = Плата за первые сутки списывается сразу, за следующие — без сообщения. О плате за переводы сообщаю только с мгновенными уведомлениями. Если баланса не хватит, сервис приостановит Smart Mode; предупредить заранее могут /notifications. Вы тоже можете приостановить его в любой момент.
smart-mode-terms-pause = Пока вы не возобновите Smart Mode, энергия не приходит и плата не списывается.
smart-mode-terms-resume = Энергия снова приходит сама, плата снова списывается. Спишется ли плата за сегодня ещё раз, сервис не сообщает.
smart-mode-terms-end = <b>Smart Mode завершится навсегда:</b> при новом включении снова спишется плата за сутки.
smart-mode-truth = <i>Списанная плата может не вернуться.</i>
smart-mode-going = ⏳ <b>Меняю…</b>
smart-mode-done = ✅ <b>Готово</b>
smart-mode-differs = ⚠️ <b>Статус не тот, что вы просили</b>
smart-mode-refused = ❌ <b>Не сделано.</b> Ничего не изменилось.
smart-mode-unchanged = ℹ️ <b>{ $action ->
        [pause] Smart Mode уже приостановлен.
        [resume] Smart Mode уже включён.
       *[end] Smart Mode уже завершён.
    }</b> Ничего не изменилось.
toast-smart-mode-already = { $action ->
        [pause] Smart Mode уже приостановлен.
        [resume] Smart Mode уже включён.
       *[end] Smart Mode уже завершён.
    }
toast-smart-mode-gone = Он завершён или относится к другому аккаунту.
smart-mode-likely = 🟡 <b>Скорее всего, сделано</b>
smart-mode-again = Попробовать ещё раз
smart-mode-anyway = Всё равно сделать
smart-mode-filter = 🔁 Smart Mode

## Что теперь действует
smart-mode-is-start = ✅ <b>Smart Mode включён</b>
smart-mode-is-pause = ✅ <b>Smart Mode приостановлен:</b> ни энергии, ни платы
smart-mode-is-resume = ✅ <b>Smart Mode снова работает</b>
smart-mode-resumed-fee = Списалась ли плата за сегодня ещё раз, сервис не сообщает: { $before ->
        [none] смотрите баланс.
       *[other] сравните баланс с прежним, <b>{ AMOUNT($before) } TRX</b>.
    }
smart-mode-resume-short = ⚠️ <b>Мало на балансе: { AMOUNT($balance) } TRX.</b> { $fee ->
        [none] При следующем списании
       *[other] При следующем списании { AMOUNT($fee) } TRX
    } сервис снова приостановит Smart Mode. Пополните баланс.
smart-mode-is-end = ✅ <b>Smart Mode завершён:</b> плата больше не спишется
smart-mode-now-start =
    Плата за сутки: { $fee ->
        [none] неизвестна, смотрите баланс
       *[other] <b>{ AMOUNT($fee) } TRX</b>, первая уже списана
    }
    { $guarantee ->
        [on] За перевод вместе с bandwidth
       *[off] За перевод
    }: { $transfer ->
        [none] неизвестно
       *[other] <b>{ AMOUNT($transfer) } TRX</b>
    }
