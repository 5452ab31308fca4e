command-withdraw = Вывести TRX
button-withdraw = 📤 Вывести
button-withdraw-all = Всё
withdrawal-title = 📤 Вывод { AMOUNT($trx) } TRX
withdrawal-short = Вывод
withdrawal-filter = 📤 Выводы

## Почему вывести нельзя
withdrawal-without-codes = Для вывода нужна 2FA. Включите её в сервисе.

## Вопросы
withdrawal-amount =
    <b>📤</b> Сколько TRX должно прийти? Комиссия { AMOUNT($fee) } TRX спишется сверх этой суммы.
problem-withdrawal-none = Выводить нечего: на балансе { AMOUNT($balance) } TRX, комиссия { AMOUNT($fee) } TRX.
withdrawal-limited = Дневной лимит без 2FA: { AMOUNT($cap) } TRX, осталось { AMOUNT($left) } TRX.
problem-withdrawal-more = Не хватает: на балансе { AMOUNT($balance) } TRX, комиссия { AMOUNT($fee) } TRX списывается сверх суммы. Пришлите сумму меньше.
problem-withdrawal-cap = Больше дневного лимита: осталось { AMOUNT($left) } из { AMOUNT($cap) } TRX вместе с комиссией { AMOUNT($fee) } TRX. Пришлите сумму меньше или включите 2FA.
withdrawal-address = <b>📤</b> На какой адрес? Пришлите его. Если адрес требует memo, выводить на него нельзя.
withdrawal-address-amount = { $how ->
        [limit] Всё в пределах дневного лимита
        [all] Всё
       *[typed] Придёт
    }: <b>{ AMOUNT($trx) } TRX</b>
withdrawal-to = На адрес: <code>{ $address }</code>
problem-withdrawal-own = <code>{ $address }</code> — адрес пополнения этого же аккаунта. Пришлите другой.

## Проверка адреса без 2FA
withdrawal-ends =
    <b>Проверка адреса</b>

    Введите последние { $count } символов, сверяясь с местом, откуда взяли адрес. Так видно подмену.
    <code>{ $begins }</code>……
problem-ends = Это не последние { $count } символов; большие и маленькие буквы различаются. Адрес не тот? Нажмите «{ button-back }».
problem-ends-whole = Нужны только последние { $count } символов.

## Карточка
withdrawal-terms =
    { $address }
    { $earlier ->
        [none] ⚠️ <b>Первый вывод</b> на этот адрес.
        [unread] ⚠️ Мне не видно, выводили ли на этот адрес раньше.
        [before] На этот адрес с аккаунта уже выводили.
       *[recent] ⚠️ { $age } назад { $by ->
            [reader] вы
           *[account] с этого аккаунта
        } { $state ->
            [uncertain] пытались вывести
           *[made] уже вывели
        } <b>{ AMOUNT($sent) } TRX</b> на этот адрес ({ $state ->
            [pending] в обработке
            [sent] отправлено
           *[uncertain] результат неизвестен
        }).
    }

    Придёт: <b>{ AMOUNT($trx) } TRX</b>
    Комиссия: { AMOUNT($fee) } TRX
    Итого: <b>{ AMOUNT($total) } TRX</b>

    { $cap ->
        [none] После подтверждения попрошу код 2FA.
       *[other] Уйдёт сразу после подтверждения. Осталось { AMOUNT($left) } из { AMOUNT($cap) } TRX на сегодня.
    }
withdrawal-number-unclear = ⚠️ Ничего не изменено. В коде 2FA шесть цифр. Нужна другая сумма? Добавьте единицу: <code>{ $number } TRX</code>.
withdrawal-truth = <i>Отменить вывод нельзя. Memo не передаётся.</i>
withdrawal-going = ⏳ <b>Вывожу…</b>
withdrawal-done = ✅ <b>Вывод принят</b>
withdrawal-sent = ✅ <b>Выведено и отправлено</b>
withdrawal-failed = ❌ <b>Вывод не прошёл</b>
withdrawal-refused = ❌ <b>Не выведено.</b> Ничего не списано.
withdrawal-likely = 🟡 <b>Скорее всего, выведено</b>
withdrawal-again = Вывести ещё раз
withdrawal-anyway = Всё равно вывести
withdrawal-pending = <b>В обработке.</b> Напишу, когда деньги уйдут.
withdrawal-completed = Статус: <b>отправлено</b>
withdrawal-given-back = Статус: <b>не прошёл</b>
withdrawal-balances = Баланс до вывода: <b>{ AMOUNT($before) } TRX</b>, при последней проверке: <b>{ AMOUNT($left) } TRX</b>
withdrawal-back = На балансе снова <b>{ AMOUNT($left) } TRX</b>: сумма и комиссия вернулись.
withdrawal-returned = { $refund ->
        [back] Похоже, сумма и комиссия вернулись.
       *[unclear] Сервис вернёт сумму на баланс. Вернёт ли комиссию, он не сообщает.
    }

## Код 2FA
operation-awaiting = 🔐 <b>Пришлите код 2FA</b>
operation-awaiting-note = Шесть цифр из вашего аутентификатора. Сообщение я сразу удалю.
code-question = Пришлите только шесть цифр кода 2FA. Чтобы изменить адрес или сумму, сначала нажмите «{ button-cancel }».
code-exposed = ⚠️ <b>Удалить ваш код не удалось.</b> Удалите его сами.
code-late = Карточка устарела. Ничего не выведено.
code-decided = Этот вывод уже обработан. Ваш код не использован.
code-early = Код пришёл слишком рано и не использован. Пришлите текущий.
code-old = Код дошёл слишком поздно и не использован. Пришлите текущий.
code-too-early = 🔒 Ещё рано: код не использован. Пришлите новый <b>с <tg-time unix="{ $unix }" format="T">{ $at }</tg-time> до <tg-time unix="{ $endUnix }" format="T">{ $end }</tg-time></b>.
code-expires-first = 🔒 Ещё рано: ничего не выведено. Карточка устарела бы раньше, чем вы успеете прислать новый код, поэтому я её отменил. Начните заново: /withdraw.
code-before-confirm = 🔒 Код я удалил. Сначала нажмите «{ $button }», потом пришлите новый{ $wait ->
        [no] {""}
       *[yes] {" "}<b>с <tg-time unix="{ $unix }" format="T">{ $at }</tg-time> до <tg-time unix="{ $endUnix }" format="T">{ $end }</tg-time></b>
    }.
code-unasked = 🔒 Я удалил шестизначное число: это мог быть код 2FA. Сейчас код не нужен.
code-or-amount = 🔒 Я удалил шестизначное число: это мог быть код 2FA. Если это количество, добавьте единицу, например 131000 энергии{ $what ->
        [energy] {""}
       *[any] {" "}или 131000 TRX
    }.
code-unasked-stays = ⚠️ Похоже на код 2FA, но удалить его не удалось. Удалите его сами.
left-code = Код 2FA больше не нужен. Ничего не выведено.
toast-balance-differs = Баланс изменился. Вот новая карточка.
toast-cap = Дневной лимит: { AMOUNT($cap) } TRX, осталось { AMOUNT($left) } TRX.
toast-cooldown = Одна попытка вывода в минуту. Нажмите через { $seconds } с.

## Новый адрес аккаунта без 2FA
button-block-address = ⛔ Заблокировать адрес
button-not-mine = ⛔ Это не я: блок на сутки
button-block-address-yes = ⛔ Заблокировать на сутки
button-withdrawal-cancel = ✖️ Отменить вывод
button-withdraw-again = Вывести снова
button-review-withdrawal = Проверить вывод
withdrawal-announced-many = Слишком много новых адресов у этого аккаунта. Попробуйте завтра.
address-hold =
    ⏳ <b>{ $reason ->
        [blocked] Адрес недавно блокировали
       *[new] Новый адрес
    }: пауза 10 минут</b>
    Вывод { AMOUNT($trx) } TRX на
    <code>{ $address }</code>
    Комиссия: ещё { AMOUNT($fee) } TRX. С баланса пока ничего не списано.

    Подтвердить можно <b>с <tg-time unix="{ $unix }" format="T">{ $at }</tg-time></b>, тогда я напишу.{ $others ->
        [0] {""}
       *[other] {" "}До этого другие пользователи аккаунта { $account } могут заблокировать адрес.
    }
address-hold-again = ⚠️ Вывод <b>{ AMOUNT($trx) } TRX</b> на этот адрес уже ждёт до <tg-time unix="{ $unix }" format="T">{ $at }</tg-time>. Второго вывода не будет.
address-hold-other = ⚠️ Сейчас вы попросили <b>{ AMOUNT($asked) } TRX</b>, а ждёт вывод <b>{ AMOUNT($trx) } TRX</b>. Чтобы вывести вместо него { AMOUNT($asked) } TRX, отправьте /withdraw снова после паузы: она действует для любой суммы.
address-announced =
    ⚠️ <b>Вывод { AMOUNT($trx) } TRX с аккаунта { $account } на { $reason ->
        [blocked] недавно заблокированный адрес
       *[new] новый адрес
    }</b>
    <code>{ $address }</code>
    { $compared }

    Другой пользователь аккаунта сможет подтвердить его с <tg-time unix="{ $unix }" format="T">{ $at }</tg-time>. Адрес вам незнаком? Заблокируйте его и замените API-ключ в сервисе.
address-offered =
    ✅ <b>Пауза безопасности закончилась</b>
    Вывод { AMOUNT($trx) } TRX на
    <code>{ $address }</code>
    Комиссия: ещё { AMOUNT($fee) } TRX.
address-offered-until = Подтвердите до <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>.
cancel-too-late = ⚠️ <b>{ $what ->
        [withdrawal] Этот вывод уже нельзя отменить:</b> { $state ->
            [unknown] он мог пройти.
           *[going] он обрабатывается.
        }
       *[purchase] Эту покупку уже нельзя отменить:</b> { $state ->
            [unknown] она могла пройти.
           *[going] она обрабатывается.
        }
    }
address-card-closed =
    ☑️ <b>Карточка закрыта.</b> Ничего не списано. Вывод ждёт вашего подтверждения до <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>.
    Вывод { AMOUNT($trx) } TRX на
    <code>{ $address }</code>
address-not-confirmed = ⌛ <b>Этот вывод больше нельзя подтвердить.</b> Уже подтверждали? Смотрите /history.
address-expired =
    ⌛ <b>Не выведено: вы не подтвердили вывод за сутки.</b> Ничего не списано.
    Вывод { AMOUNT($trx) } TRX на
    <code>{ $address }</code>
address-blocked =
    ⛔ <b>Адрес заблокирован</b>
    <code>{ $address }</code>

    { $by ->
        [reader] Вы закрыли вывод на этот адрес до <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>.
       *[other] Другой пользователь аккаунта { $account } закрыл вывод на этот адрес до <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>.
    }{ $withdrawal ->
        [cancelled] {" "}Ваш вывод отменён, с баланса ничего не ушло.
       *[none] {""}
    }
address-block-ask = ⛔ <b>Заблокировать этот адрес на сутки?</b> Никто из пользователей аккаунта { $account } не сможет выводить на него. Снять блокировку раньше нельзя.
address-ended =
    { $how ->
        [sent] ☑️ <b>Подтверждено в <tg-time unix="{ $unix }" format="t">{ $at }</tg-time>: смотрите чек</b>
        [cancelled] ✖️ <b>Вывод отменён.</b> Ничего не списано.
        [expired] ⌛ <b>Вывод не подтверждён вовремя.</b> Ничего не списано.
       *[blocked] ⛔ <b>Адрес заблокирован</b>
    }
    Вывод { AMOUNT($trx) } TRX на
    <code>{ $address }</code>
address-announced-ended =
    { $how ->
        [sent] 📤 <b>Другой пользователь аккаунта { $account } подтвердил вывод в <tg-time unix="{ $unix }" format="t">{ $at }</tg-time></b>
        [cancelled] ✖️ <b>Вывод с аккаунта { $account } отменён.</b> Ничего не списано.
        [expired] ⌛ <b>Вывод с аккаунта { $account } не подтверждён вовремя.</b> Ничего не списано.
       *[none] ⛔ <b>Адрес заблокирован для аккаунта { $account }</b>
    }
    Вывод { AMOUNT($trx) } TRX на
    <code>{ $address }</code>{ $how ->
        [sent] {"\u000A\u000A"}Вы этого не ждали? Заблокируйте адрес и замените API-ключ в сервисе.
       *[none] {""}
    }
address-unlinked =
    ✖️ <b>Не выведено: аккаунт { $account } здесь больше не привязан.</b> Ничего не списано.
    Вывод { AMOUNT($trx) } TRX на
    <code>{ $address }</code>
address-over =
    ☑️ <b>{ $tap ->
        [cancel] Не отменён: вывод уже
        [block] Не заблокирован: вывод уже
       *[card] Вывод уже
    } { $state ->
        [sent] отправлен
       *[confirmed] подтверждён
    } в <tg-time unix="{ $unix }" format="t">{ $at }</tg-time></b>
    Вывод { AMOUNT($trx) } TRX на
    <code>{ $address }</code>

    Что с ним стало, показывает чек.
address-blocked-now =
    ⛔ <b>Адрес заблокирован до <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time></b>
    <code>{ $address }</code>

    { $by ->
        [reader] {""}
       *[other] Его заблокировал другой пользователь аккаунта { $account }.{" "}
    }{ $late ->
        [made] ⚠️ Вывод на него уже был или мог быть.
        [started] ⚠️ Один вывод на него уже начался и мог уйти.
       *[none] Этот вывод отменён, с баланса ничего не ушло.
    } Вывод был не ваш? Замените API-ключ в сервисе.

## Другим пользователям аккаунта
withdrawal-by-other-holder = 📤 <b>Вывод с аккаунта { $account }</b>
linked-by-other-holder =
    ⚠️ <b>Аккаунт { $account } привязал здесь другой пользователь</b>
    Он может тратить баланс. Вы этого не ждали? Замените API-ключ в сервисе.
withdrawal-by-other-holder-note = Его подтвердил другой пользователь аккаунта. Вы этого не ждали? Замените API-ключ в сервисе.
