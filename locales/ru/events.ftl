## События сервиса, для администраторов
command-events = События от сервиса
button-events = 📡 События
events-title = <b>📡 События</b> · { $day }, { $which ->
        [today] сегодня
       *[yesterday] вчера
    } (UTC)
events-taken = ✅ Получено: <b>{ $count }</b>
events-missed = 🔎 Не дошли, найдены в журнале сервиса: <b>{ $count }</b>
events-copies = 🔁 Повторы, пропущены: <b>{ $count }</b>
events-refused = ⚠️ Отклонённые запросы: <b>{ $count }</b>

## Причины
events-refused-hook = неизвестный адрес
events-refused-rate = слишком много за секунду
events-refused-size = слишком большой
events-refused-signature = неверная подпись
events-refused-body = не событие
events-refused-old = старше 30 дней
events-refused-storage = хранилище недоступно

## Задержки
events-delay = ⏱ { $what ->
        [handled] Обработка
       *[sent] Затем отправка уведомлений
    }: { $half ->
        [none] нет данных
       *[other] половина { $half }, почти все { $most }
    }
events-within = { $seconds ->
        [0] дольше 300 с
       *[other] за { $seconds } с
    }
events-waiting = 📤 Чаты с неотправленными уведомлениями: { $chats ->
        [0] нет
       *[other] <b>{ $chats }</b>, дольше всего ждёт: { $minutes } мин
    }

## По одному
events-latest = <b>Последние события</b>
events-event = { $time } { $how ->
        [logged] 🔎
       *[sent] ✅
    }
events-account = аккаунт { $account }
events-latest-refusals = <b>Последние отклонённые запросы</b>
events-as-of = <i>По состоянию на { $time } UTC.</i>
button-refresh = ↻ Обновить
button-events-today = Сегодня
button-events-yesterday = Вчера

## Аккаунт оператора
events-operator = 📥 Аккаунт оператора: { $reports ->
        [on] уведомления <b>включены</b>
        [off] уведомления <b>выключены</b>
       *[unknown] сервис не отвечает
    }
button-events-operator = { $reports ->
        [on] Выключить уведомления оператора
       *[off] Включить уведомления оператора
    }
