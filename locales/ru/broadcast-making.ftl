## Обзор рассылок, для администраторов
command-broadcast = Сделать рассылку
button-broadcast = 📣 Рассылка
broadcasts-title = <b>📣 Рассылки</b>
broadcasts-scheduled = <b>Запланированы</b>
broadcasts-scheduled-one = <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time> · { $audience }
broadcasts-ended = <b>Недавние</b>
broadcasts-ended-one = <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time> · { $audience } · { $state ->
        [stopped] остановлена, отправлено { $sent } из { $total }
        [missed] пропущена, не отправлена
       *[done] отправлено { $sent } из { $total }
    }
broadcasts-cancelled-one = на <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time> · { $audience } · отменена, никому не отправлена
broadcasts-stop-ask = { $state ->
        [scheduled] Отменить рассылку?
       *[begun] Остановить насовсем? Остальные сообщение не получат.
    }
toast-broadcast-ended = Эта рассылка уже отменена или завершена.
broadcasts-messages = ⬆️ { $state ->
        [draft] Черновик, так он будет отправлен
        [scheduled] Так будет отправлено
       *[other] Так отправлено
    }{ $own ->
        [none] {""}
       *[other] : для всех, затем { $own }
    }
broadcasts-messages-failed = ⚠️ Telegram не смог его скопировать: <code>{ $reason }</code>
button-broadcasts-new = ✏️ Новая рассылка
button-broadcasts-continue = ▶️ Продолжить черновик
button-broadcasts-cancel = ✕ Отменить { $number }
button-broadcasts-show = 📄 Показать { $number }
button-broadcasts-stop-yes = { $state ->
        [scheduled] ✕ Да, отменить
       *[begun] ⏹ Да, остановить
    }
button-broadcasts-stop-no = { $state ->
        [scheduled] ‹ Оставить
       *[begun] ‹ Не останавливать
    }

## Сообщение и его кнопки
making-message = Пришлите или перешлите сообщение{ $version ->
        [default] {""}
       *[other] {" "}({ $language } язык)
    }: текст, фото, видео, анимацию или файл.
problem-making-message = Пришлите текст, фото, видео, анимацию или файл.
problem-making-album = Пришлите одно фото, видео или файл, а не альбом.
making-buttons = Какие кнопки под ним? Отметьте те, что ведут в бота. Другие пришлите по одной на строке, всего до { $most }:
    <code>Надпись - https://example.com/page</code>
    <code>Надпись - { $payload }</code> откроет <code>?start={ $payload }</code>. Маленькое число – это переводы: <code>buy-2-24h</code>.
problem-making-buttons = { $why ->
        [form] Непонятная строка: <code>{ $line }</code>
        [label] Надпись пустая или слишком длинная: <code>{ $line }</code>
        [address] Только https:// и без пароля: <code>{ $line }</code>
        [link] Такой ссылки в бота нет: <code>{ $line }</code>. Есть: <code>{ $links }</code>.
        [order] Такой заказ сделать нельзя: <code>{ $line }</code>
        [many] Слишком много строк.
       *[none] Здесь нет ни одной строки.
    }
    Пришлите до { $most } строк вида <code>Надпись - https://example.com/page</code>: надпись до { $length } знаков.
button-making-same = Как у основного ({ $count })
button-making-none = Без кнопок
button-making-picked = ✅ Дальше: { $count ->
        [one] { $count } кнопка
        [few] { $count } кнопки
       *[many] { $count } кнопок
    }
making-refused = Telegram это не принял: <code>{ $reason }</code>. Измените кнопки или сообщение.

## Языки
making-contents = { $version ->
        [default] ⬆️ Пользователи получат основное сообщение именно таким, с кнопками бота на своём языке. Для языка можно добавить другое. Не удаляйте своё сообщение выше, пока рассылка не закончится.
       *[other] ⬆️ Именно это сообщение получат только те, чей язык — { $language }. Не удаляйте свои сообщения выше, пока рассылка не закончится.
    }
making-language = { $language ->
        [ru] русский
        [en] английский
       *[default] основное
    }
making-version = { $language }: { $own ->
        [yes] <b>отдельное сообщение</b>
       *[no] основное сообщение
    }
button-making-next = Выбрать аудиторию ›
button-making-add = ➕ Добавить: { $language }
button-making-replace = ✏️ Заменить: { $language }
button-making-drop = ✕ Убрать: { $language }

## Аудитория
making-audience-ask = Выберите аудиторию или пришлите число дней, чтобы написать недавним пользователям. Рассылку не получат те, кто отказался, недоступен или без доступа.
making-audience = { $who ->
        [en] Англоязычные
        [ru] Русскоязычные
        [holders] Владельцы аккаунтов
        [guests] Гости
        [merchants] Продавцы
        [active] Активные за { $days } дн.
        [me] 🧪 Только мне (тест)
       *[everybody] Все
    }
problem-making-audience = Нажмите на кнопку или пришлите число дней от 1 до { $max }.

## Время
making-time = Когда? По UTC сейчас { $at }. Выберите или пришлите время по UTC, не дальше 30 дней: <code>ГГГГ-ММ-ДД ЧЧ:ММ</code>.
button-making-now = Сейчас
button-making-1h = Через час
button-making-3h = Через 3 часа
button-making-tomorrow = Завтра в это время
problem-making-time = Пришлите время по UTC, не дальше 30 дней, например <code>{ $example }</code>. Сейчас { $now } UTC.
making-time-dateless = Не хватает даты.
making-time-over = Это время прошло. Выберите другое.

## Карточка
making-outdated = ⚠️ Ничего не отправлено: карточка устарела.
making-card = <b>📣 Проверьте и отправьте</b>
making-to = Аудитория: <b>{ $audience }</b>
making-count = Пользователей: <b>{ $count }</b>
making-messages = Сообщения: { $own ->
        [none] одно на все языки
       *[other] { $own } своё, остальным основное
    }
making-buttons-each = Кнопки: { $others ->
        [none] { $main }
       *[other] основное { $main }, { $others }
    }
making-when = Время: <b><tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time></b>
making-when-now = Время: <b>сейчас</b>
making-duration = Длительность: около { $number } { $unit ->
        [hours] ч
       *[minutes] мин
    }
making-late = Если рассылка не начнётся в течение часа после этого времени, она не отправится.
making-final = { $start ->
        [later] Рассылку можно отменить, пока она не началась. Потом отправку не отменить.
       *[now] Отменить отправку нельзя.
    }
making-send = Чтобы отправить, напишите число пользователей: <b>{ $count }</b>.
button-making-schedule = 📣 Запланировать
button-making-send = 📣 Отправить ({ $count })
making-uncounted = { $why ->
        [late] ⏳ Ещё считаю. Ничего не отправлено.
        [failed] ⚠️ Аудитория не читается. Ничего не отправлено.
       *[empty] В этой аудитории никого нет. Выберите другую.
    }
toast-making-uncounted = Пока без изменений.
button-making-elsewhere = ‹ Другая аудитория
making-busy = Другая рассылка идёт или на паузе. Ничего не отправлено. Попробуйте позже: /broadcast
making-started = ✅ Отправка началась.
making-scheduled = ✅ Запланировано.
making-tested = 🧪 Тест скоро придёт, во всех вариантах и только вам.
making-gone = Черновик устарел или заменён. Начните заново: /broadcast
