command-webhook-log = Что присылал сервис
button-webhook-log = 📨 Журнал вебхука
webhook-log-title = <b>Журнал вебхука</b>
webhook-log-about = Что сервис аренды отправил об аккаунте { $account }, куда бы это ни пришло, и принято ли оно.
webhook-log-entry = { $taken ->
        [yes] 📬
       *[no] ⚠️
    } <code>{ $event }</code> · { $status ->
        [none] нет ответа
       *[other] HTTP { $status }
    }
    { $attempts ->
        [0] ещё не отправлено
        [one] { $attempts } попытка
        [few] { $attempts } попытки
       *[other] { $many ->
            [yes] больше { $attempts } попыток
           *[no] { $attempts } попыток
        }
    } · { $when }
webhook-log-none = Пока ничего не отправлено. Записи появятся, когда в сервисе указан адрес для уведомлений и с аккаунтом что-то происходит.
webhook-log-latest = <i>Последние { $most }.</i>
webhook-log-goes = { $goes ->
        [here] Сейчас это приходит сюда.
        [elsewhere] Сюда это не приходит. Уведомления аккаунта приходят только в одно место.
       *[nowhere] У этого бота нет публичного адреса, принимать это он не может.
    }
button-webhook-here = 📥 Присылать сюда
button-webhook-stop = ⏹ Не присылать сюда
