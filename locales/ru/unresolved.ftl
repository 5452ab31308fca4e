## Операции, исход которых никому не известен, для администраторов
command-unresolved = Операции с неизвестным исходом
button-unresolved = ⚠️ Исход неизвестен
unresolved-title = <b>⚠️ Исход неизвестен</b> · { $more ->
        [yes] больше { $count }
       *[no] { $count }
    }
unresolved-open = Сначала самые старые. Нажмите номер, чтобы открыть.
unresolved-none = Решать нечего: все исходы известны.
unresolved-unreadable = Записей, которые я не могу прочитать: <b>{ $count }</b>. Они ждут версии, которая сможет.
unresolved-whose = Пользователь <code>{ $user }</code> · аккаунт <code>{ $account }</code>
unresolved-state = { $state ->
        [unknown] ⚠️ <b>Исход неизвестен</b>
        [likely] 🟡 <b>Скорее всего, прошла</b>
        [sent] ⏳ <b>Отправлена, ответа пока нет</b>
        [claimed] ⏳ <b>Подтверждена, ещё не отправлена</b>
        [done] ✅ <b>Прошла</b>
        [failed] 🚫 <b>Списано, но не доставлено</b>
        [refused] ❌ <b>Не прошла</b>
       *[closed] ☑️ <b>Закрыта пользователем</b>
    }
button-unresolved-older = ‹ Старее
button-unresolved-newer = Новее ›

## Одна из них
unresolved-one = <b>Операция { $id }</b>
unresolved-address = Для адреса: <code>{ $address }</code>
unresolved-confirmed = Подтверждена: { $time } (UTC)
unresolved-sent = { $time ->
        [none] Запрос: не отправлен
       *[other] Запрос отправлен: { $time } (UTC)
    }
unresolved-evidence = <b>Что известно</b>
unresolved-balance = Баланс до запроса: { $before ->
        [none] не прочитан
       *[other] { $before } TRX
    }; при последней проверке: { $after ->
        [none] не прочитан
       *[other] { $after } TRX
    }
unresolved-reports = Подходящие отчёты о заказах, которые принадлежат или могут принадлежать другой операции: { $entries ->
        [none] нет
       *[other] <code>{ $entries }</code>
    }
unresolved-listed = В списке сервиса (этот адрес и новое): { $entries ->
        [none] ничего
       *[other] <code>{ $entries }</code>
    }
unresolved-looks = Проверок: { $count }{ $last ->
        [none] {""}
       *[other] , последняя в { $last }
    }
unresolved-next = Следующая проверка: { $next ->
        [none] сама не начнётся
       *[other] { $next }
    }
unresolved-no-key = ⚠️ У пользователя здесь больше нет ключа этого аккаунта, поэтому спросить сервис нельзя.
unresolved-decided =
    👤 Решил администратор <code>{ $admin }</code>, { $time } (UTC): { $outcome ->
        [done] операция прошла.
       *[not-done] операция не прошла.
    }
    Причина: <i>{ $reason }</i>
button-unresolved-ask = ↻ Спросить сервис ещё раз
toast-unresolved-asked = { $turn ->
        [searched] Сервис спрошен. Вот как обстоит дело.
        [busy] Сервис только что спрашивали.
       *[going] Сервис долго не отвечает. Посмотрите ещё раз чуть позже.
    }
toast-unresolved-late = Исход уже известен: решать нечего.

## Решение вручную
button-went-through = ✅ Прошла
button-did-not = ❌ Не прошла
unresolved-why =
    <b>Операция { $id }</b> · { $outcome ->
        [done] прошла
       *[not-done] не прошла
    }

    Почему вы так решили? Напишите одну строку от 3 до 200 символов. Её прочитает пользователь, поэтому не пишите секретов.
problem-reason = Напишите одну строку от { $min } до { $max } символов.
unresolved-check = <b>Проверьте, прежде чем решить:</b> { $outcome ->
        [done] ✅ операция прошла
       *[not-done] ❌ операция не прошла
    }
unresolved-reason = Причина: <i>{ $reason }</i>
unresolved-truth = <i>Пользователь сразу узнает о решении и его причине. Отменить решение нельзя. Запросов оно не отправляет. Решить по этой карточке можно в течение 15 минут.</i>
button-decide = Решить
unresolved-ended = { $how ->
        [decided] ☑️ <b>Решено.</b> Пользователю сообщают.
        [going] ⏳ <b>Не решено:</b> возможно, запрос ещё выполняется. Попробуйте через несколько секунд.
       *[late] ⚠️ <b>Решено не вами:</b> исход был известен раньше. Вот как обстоит дело.
    }
