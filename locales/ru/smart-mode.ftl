command-smart-mode = Энергия, которая приходит сама
button-smart-mode = 🔁 Режим Smart Mode
smart-mode-title = { $action ->
        [start] 🔁 Включить Smart Mode
        [pause] ⏸ Приостановить Smart Mode
        [resume] ▶️ Возобновить Smart Mode
       *[end] ⏹ Завершить Smart Mode
    }

## Список
smart-mode-list =
    <b>Режим Smart Mode</b>

    Сервис следит за адресом и сам присылает ему энергию. За это берётся плата за сутки и плата за каждый перевод.
smart-mode-none = Пока ни одного.
smart-mode-more = … и ещё { $count }.
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
smart-mode-address =
    <b>Smart Mode</b> · 1 из 3

    С какого адреса вы часто отправляете USDT? У него не должно быть пакета переводов: одно исключает другое.

    Пришлите его{ $known ->
        [yes] {" "}или выберите один из прежних.
       *[no] .
    }
smart-mode-label =
    <b>Smart Mode</b> · 2 из 3
    Для: <code>{ $address }</code>

    Как его назвать, чтобы вы его узнали? Напишите имя, до 32 знаков.
button-no-label = Без имени
problem-label = Напишите имя до 32 символов или нажмите кнопку.
smart-mode-guarantee =
    <b>Smart Mode</b> · 3 из 3
    Для: <code>{ $address }</code>

    С BW Guarantee? Тогда сервис заботится и о пропускной способности каждого перевода, на { $extra } TRX дороже.
button-guarantee-on = С BW Guarantee
button-guarantee-off = Без
smart-mode-sure =
    <b>Завершить Smart Mode навсегда?</b>
    <code>{ $label }</code>
    <code>{ $address }</code>

    Возобновить его будет нельзя: придётся включать новый и платить за его первые сутки. Чтобы остановить на время, приостановите его.
button-end-it = Да, завершить навсегда

## Карточка
smart-mode-terms-start = { $fee ->
        [none] Сервис называет свои цены только после включения: плата за сутки, <b>первая списывается сразу</b>, и плата за каждый перевод.
       *[other] Плата за сутки, как в прошлый раз: около <b>{ $fee } TRX</b>, <b>первая списывается сразу</b>. { $transferFee ->
            [none] Плату за перевод сервис назовёт после включения.
           *[other] Плата за перевод, как в прошлый раз с той же BW Guarantee: <b>{ $transferFee } TRX</b>.
        }
    }
    BW Guarantee: { $guarantee ->
        [on] <b>да</b>, на { $extra } TRX дороже за перевод
       *[off] <b>нет</b>
    }
smart-mode-terms-pause = Пока он приостановлен, сервис сам энергию не присылает и платы не берёт.
smart-mode-terms-resume = Сервис снова сам присылает энергию и берёт свою плату.
smart-mode-terms-end = <b>Отменить это нельзя.</b> Насколько говорит сервис, плата за текущие сутки не возвращается.
smart-mode-truth = <i>Отправленный запрос отменить нельзя. Я делаю его один раз и потом сам ничего не меняю.</i>
smart-mode-active = Статус: <b>работает</b>.
smart-mode-paused = Статус: <b>приостановлен</b>.
smart-mode-deactivated = Статус: <b>закончен навсегда</b>.
smart-mode-going = ⏳ <b>Спрашиваю сервис…</b>
smart-mode-done = ✅ <b>Готово</b>
smart-mode-differs = ⚠️ <b>Сервис сделал не то, о чём вы просили.</b> Посмотрите на статус ниже.
smart-mode-refused = ❌ <b>Не сделано.</b> Ничего не изменилось.
smart-mode-likely = 🟡 <b>Скорее всего, сделано</b>
smart-mode-again = Ещё раз
smart-mode-anyway = Всё равно сделать
smart-mode-filter = 🔁 Режим Smart Mode
