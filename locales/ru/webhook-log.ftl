command-webhook-log = Что присылал сервис
button-webhook-log = 📨 Журнал вебхука
webhook-log-title = <b>Журнал вебхука</b>
webhook-log-order = заказ { $number }
webhook-log-invoice = счёт { $number }
webhook-log-received = принято, HTTP { $status }
webhook-log-not-received = не принято, { $status ->
        [none] нет ответа
       *[other] HTTP { $status }
    }
webhook-log-attempts = { $attempts ->
        [0] ещё не отправлено
        [one] { $attempts } попытка
        [few] { $attempts } попытки
       *[other] { $attempts } попыток
    }
webhook-log-none = Пока ничего не отправлено.
webhook-log-pick = Нажмите на номер, чтобы открыть запись.
webhook-log-goes = { $goes ->
        [here] Мгновенные уведомления приходят этому боту.
        [elsewhere] Мгновенные уведомления здесь выключены. Эти ушли на вебхук аккаунта.
       *[nowhere] У этого бота нет публичного адреса для мгновенных уведомлений.
    }
webhook-log-payload = <code>{ $payload }</code>{ $more ->
        [0] {""}
       *[other] 
            … пропущено строк: { $more }
    }
webhook-log-gone = В журнале сервиса этой записи больше нет.
