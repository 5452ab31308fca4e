## Что видят администраторы о событиях сервиса
button-events = 📡 События
events-title = <b>📡 События</b> · { $day }, { $which ->
        [today] сегодня
       *[yesterday] вчера
    } (UTC)
events-taken = ✅ Принято: <b>{ $count }</b>
events-missed = 🔎 Не пришли, найдены в журнале: <b>{ $count }</b>
events-copies = 🔁 Повторы: <b>{ $count }</b>
events-refused = ⚠️ Отклонено: <b>{ $count }</b>

## Почему
events-refused-hook = по адресу, которого ни у кого нет
events-refused-rate = слишком много за секунду
events-refused-size = слишком длинное
events-refused-signature = подпись неверная, или её нет
events-refused-body = это не событие
events-refused-old = старше 30 дней
events-refused-storage = хранилище было недоступно

## Сколько это заняло
events-handled = ⏱ До обработки: { $says ->
        [both] половина { $half }, почти все { $most }
        [most] почти все { $most }
       *[nothing] пока ничего
    }
events-told = ⏱ Потом до сообщения: { $says ->
        [both] половина { $half }, почти все { $most }
        [most] почти все { $most }
       *[nothing] пока ничего
    }
events-within = { $ms ->
        [100] за 0,1 с
        [500] за 0,5 с
        [1000] за 1 с
        [5000] за 5 с
        [30000] за 30 с
        [300000] за 5 мин
       *[other] дольше 5 мин
    }
events-waiting = 📤 Ждут сообщения: { $chats ->
        [0] никто
       *[other] <b>{ $more ->
            [yes] больше { $chats } чатов
           *[no] { $chats ->
                [one] { $chats } чат
                [few] { $chats } чата
               *[other] { $chats } чатов
            }
        }</b>, дольше всех — { $minutes ->
            [0] меньше минуты
           *[other] { $minutes } мин
        }
    }

## По одному
events-latest = <b>Последние события</b>
events-event = { $time } { $how ->
        [logged] 🔎
       *[sent] ✅
    } <code>{ $type }</code> аккаунт { $account }
events-latest-refusals = <b>Последние отказы</b>
events-as-of = <i>По состоянию на { $time }.</i>
button-refresh = ↻ Обновить
button-events-today = Сегодня
button-events-yesterday = Вчера

## Аккаунт оператора
events-operator = { $reports ->
        [on] 📥 События аккаунта оператора { $account } приходят сюда.
        [off] 📥 События аккаунта оператора { $account } сюда не приходят.
       *[unknown] 📥 Сервис аренды сейчас не говорит, какой аккаунт принадлежит оператору.
    }
button-events-operator = { $reports ->
        [on] ⏹ Не присылать события оператора
       *[off] 📥 Присылать события оператора
    }
