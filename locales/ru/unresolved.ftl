## Операции с неизвестным результатом, для администраторов
command-unresolved = Операции с неизвестным результатом
button-unresolved = ⚠️ Результат неизвестен
unresolved-title = <b>⚠️ Результат неизвестен</b> · { $count }
unresolved-open = Сначала самые старые. Нажмите на номер, чтобы открыть.
unresolved-none = Решать нечего.
unresolved-unreadable = Нечитаемых записей: <b>{ $count }</b>. Нужна другая версия бота.
button-unresolved-older = ‹ Старее
button-unresolved-newer = Новее ›

## Ответы на нажатия
toast-unresolved-asked = { $turn ->
        [searched] Проверено ещё раз.
        [busy] Только что проверено.
       *[going] Сервис отвечает долго. Попробуйте ещё раз чуть позже.
    }
toast-unresolved-late = Результат уже известен. Решать нечего.

## Решение вручную
button-went-through = ✅ Прошла
button-did-not = ❌ Не прошла
unresolved-why =
    <b>Операция { $id }</b> · { $outcome }

    Почему? Пришлите от 3 до 200 символов. Это прочитает пользователь: без секретов.
problem-reason = Пришлите одну строку от { $min } до { $max } символов.
unresolved-check = <b>Проверьте решение:</b> { $outcome }
unresolved-reason = Причина: <i>{ $reason }</i>
unresolved-truth = <i>Пользователь узнает решение. Его нельзя отменить. Этот экран действует 15 мин.</i>
button-decide-done = ✅ Отметить: прошла
button-decide-not-done = ❌ Отметить: не прошла
unresolved-ended = { $how ->
        [decided] ☑️ <b>Решено.</b> Пользователь получит уведомление.
        [going] ⏳ <b>Не решено:</b> возможно, запрос ещё выполняется. Попробуйте ещё раз через несколько секунд.
       *[late] ⚠️ <b>Не решено:</b> результат уже известен.
    }
