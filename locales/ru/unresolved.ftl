## Операции с неизвестным результатом, для администраторов
command-unresolved = Операции с неизвестным результатом
button-unresolved = ⚠️ Результат неизвестен
unresolved-title = <b>⚠️ Результат неизвестен</b> · { $count }
unresolved-open = Сначала самые старые. Нажмите на номер, чтобы открыть.
unresolved-none = Решать нечего.
unresolved-unreadable = Нечитаемых записей: <b>{ $count }</b>. Нужна другая версия бота.
button-unresolved-all = ‹ Все с неизвестным результатом
button-unresolved-older = ‹ Старее
button-unresolved-newer = Новее ›

## Ответы на нажатия
toast-unresolved-asked = { $turn ->
        [searched] Проверено ещё раз.
        [busy] Только что проверено.
        [no-key] Проверить нельзя: API-ключа пользователя больше нет.
        [unread] Сервис не прочитан. Попробуйте ещё раз чуть позже.
       *[going] Сервис отвечает долго. Попробуйте ещё раз чуть позже.
    }
toast-unresolved-late = Результат уже известен. Решать нечего.

## Решение вручную
button-went-through = ✅ Прошла
button-did-not = ❌ Не прошла
unresolved-why =
    <b>Операция { $id }</b> · { $outcome }

    Почему? Пришлите от 3 до 200 символов. Это прочитает пользователь: без секретов.{ $language ->
        [unknown] {""}
       *[other] {" "}Его язык: { $language }.
    }
problem-reason = Пришлите одну строку от { $min } до { $max } символов.
unresolved-check = <b>Проверьте решение:</b> { $outcome }
unresolved-reason = Причина: <i>{ $reason }</i>
unresolved-contrary = ⚠️ { $balance ->
        [fell] Баланс уменьшился ровно на цену заказа ({ AMOUNT($before) } → { AMOUNT($after) })
       *[unchanged] Баланс не изменился ({ AMOUNT($before) })
    }{ $deposited ->
        [none] {""}
       *[other] , если не считать пополнений на { AMOUNT($deposited) } TRX с тех пор
    }{ $charged ->
        [none] {""}
       *[other] , без учёта следующих покупок ({ AMOUNT($charged) } TRX)
    }. <b>Это говорит против вашего решения.</b>
unresolved-consequence = { $outcome ->
        [done] Пользователь прочитает, что операция прошла, и не станет её повторять. Если она не прошла, он ничего не получит.
       *[not-done] ⚠️ Пользователь прочитает, что операция не прошла, и сможет её повторить. <b>Если она прошла, он заплатит дважды.</b>
    }
unresolved-truth = <i>Пользователь узнает решение. Его нельзя отменить. Этот экран действует 15 мин.</i>
unresolved-ended = { $how ->
        [decided] ☑️ <b>Решено.</b> Пользователь получит уведомление.
        [going] ⏳ <b>Не решено:</b> возможно, запрос ещё выполняется. Попробуйте ещё раз через несколько секунд.
       *[late] ⚠️ <b>Не решено:</b> результат уже известен.
    }
