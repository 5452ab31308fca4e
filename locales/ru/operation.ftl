## Карточка, которую можно подтвердить
operation-check = <b>Проверьте и подтвердите</b>
operation-unpriced = <b>Цена ещё неизвестна</b>
operation-address = Адрес: <code>{ $address }</code>
operation-estimate = Цена: около <b>{ AMOUNT($estimate) } TRX</b>{ $former ->
        [none] {""}
       *[other] {" "}(была { AMOUNT($former) } TRX)
    }
price-old = ⚠️ Цена на <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>: новее сервис не называет.
operation-no-estimate = Цена: <b>пока неизвестна.</b> { $pays ->
        [buyer] Её назовёт счёт: тогда и решите, платить ли.
        [customer] Её назовёт счёт, прежде чем покупатель заплатит.
       *[balance] Без цены купить нельзя: нажмите «{ button-check-price }».
    }
operation-usd = <i>≈ { AMOUNT($usd) } $</i>
operation-saving = { $is ->
        [past] Вы сэкономили
       *[ahead] Вы экономите
    } <b>{ AMOUNT($trx) } TRX</b> ({ $percent } %)
operation-saving-none = Экономии нет: без этой энергии переводы стоят примерно столько же или меньше.
operation-use-before = ⏱ Используйте до <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>.
operation-balance = Баланс: { AMOUNT($balance) } TRX
operation-no-balance = Баланс: недоступен
operation-valid-until = <i>Карточка действует до <tg-time unix="{ $unix }" format="t">{ $at }</tg-time></i>
operation-from = ⏳ Одна попытка вывода в минуту: подтвердить можно <b>с <tg-time unix="{ $unix }" format="T">{ $at }</tg-time></b>.
operation-code-from = ⏳ Одна попытка вывода в минуту: { $confirm ->
        [none] {""}
       *[other] нажмите «{ $confirm }», потом{" "}
    }пришлите код <b>с <tg-time unix="{ $unix }" format="T">{ $at }</tg-time> до <tg-time unix="{ $endUnix }" format="T">{ $end }</tg-time></b>.
operation-code-kept = ⏳ Одна попытка вывода в минуту: эта начнётся <b>в <tg-time unix="{ $unix }" format="T">{ $at }</tg-time></b>.
operation-ref = операцию { $id }
operation-number = Операция <code>{ $id }</code>
operation-supplied = ⚠️ <b>Этот адрес уже снабжает Smart Mode.</b> Купив ещё, вы заплатите дважды.
operation-lookalike =
    ⚠️ <b>Похоже на подмену.</b> Этот адрес только похож на ваш. Сравните:
    Ваш: { $known }
    Этот: { $given }
operation-contract = ⚠️ <b>Это контракт { $name }, а не кошелёк.</b> { $lost ->
        [money] Деньги, отправленные на контракт, обычно пропадают.
       *[resources] Энергия и bandwidth для него пропадут.
    }
operation-like = ⚠️ <b>Возможен повтор</b> операции <code>{ $id }</code>{ $state ->
        [likely] , которая, скорее всего, прошла
       *[unknown] {" "}с неизвестным результатом
    }.
operation-repeats-void = ⚠️ <b>Прежняя карточка { $id }, возможно, уже сработала.</b> Сначала проверьте баланс и историю в сервисе.
button-confirm = ✅ Подтвердить
button-check-price = ↻ Узнать цену
button-show-it = Показать прежнюю карточку
operation-only-tap = Чтобы подтвердить, нажмите на кнопку.
operation-decide = Нажмите на кнопку на карточке{ $takes ->
        [terms] {" "}или отправьте другое количество, срок или адрес
       *[none] {""}
    }.
operation-shown-again = Вот карточка ещё раз. Ничего не списано.

## Её состояние
operation-replaced = ⤵️ <b>Есть карточка новее.</b> Ничего не списано.
operation-continued = ⤵️ <b>Продолжение ниже.</b>
operation-expired = ⌛ <b>Карточка устарела.</b> Ничего не списано.
operation-ended-void = { $state ->
        [cancelled] ✖️ <b>Отменено.</b>
        [replaced] ⤵️ <b>Есть карточка новее.</b>
       *[expired] ⌛ <b>Карточка устарела.</b>
    } Прежняя карточка { $id }, возможно, сработала: проверьте баланс и историю в сервисе.
operation-void = ⚠️ <b>Возможно, эта карточка уже сработала.</b> Сначала проверьте баланс и историю в сервисе.
operation-uncertain = ⚠️ <b>Результат неизвестен</b>
operation-unlikely = ⚠️ <b>Скорее всего, ничего не списано</b>
operation-unlikely-next = { $search ->
        [over] <b>Не повторяйте операцию</b>, пока не проверите адрес и свой аккаунт в сервисе. Затем нажмите «{ button-i-checked }».
       *[running] Операция ещё может пройти. <b>Не повторяйте её:</b> вы можете заплатить дважды. Я проверяю в течение суток и напишу, когда узнаю.
    }
operation-unknown = Операция могла пройти. <b>Не повторяйте её:</b> вы можете заплатить дважды.{ $search ->
        [over] {""}
       *[running] {" "}Напишу, когда узнаю.
    }
operation-unexpected = Деньги могли списаться. <b>Не повторяйте операцию:</b> вы можете заплатить дважды.{ $search ->
        [over] {""}
       *[running] {" "}Напишу, когда узнаю.
    }
operation-no-sign = Пока сервис об операции не сообщает. Она ещё может пройти. Я проверяю в течение суток.
operation-unconfirmed = Сервис пока не подтвердил операцию. Она могла пройти. Я проверяю в течение суток.
operation-unread = { $what ->
        [list] Проверить операцию в сервисе пока не удалось.
       *[balance] Прочитать баланс пока не удалось.
    } Я проверяю в течение суток.
operation-search-over = Узнать результат не удалось. Посмотрите адрес и свой аккаунт в сервисе, затем нажмите «{ button-i-checked }».
operation-evidence = { $balance ->
        [same] { $next ->
            [none] { $charged ->
                [none] { $search ->
                    [running] Баланс не изменился.
                   *[over] При последней проверке баланс был прежним.
                }
               *[other] Без учёта следующих покупок ({ AMOUNT($charged) } TRX) баланс { $search ->
                    [running] не изменился.
                   *[over] при последней проверке был прежним.
                }
            }
            [earlier] Сначала баланс был прежним. Потом он изменился, возможно, из-за других операций.
           *[other] Перед вашей следующей операцией ({ $next }) баланс был прежним.
        }
        [price] { $charged ->
            [none] Баланс
           *[other] Без учёта следующих покупок ({ AMOUNT($charged) } TRX) баланс
        } меньше на <b>{ AMOUNT($fell) } TRX</b>, ровно на цену с карточки. Причиной могла быть и другая операция.
        [moved] { $charged ->
            [none] Баланс
           *[other] Без учёта следующих покупок ({ AMOUNT($charged) } TRX) баланс
        } изменился{ $fell ->
            [none] {""}
           *[other] {" "}(−{ AMOUNT($fell) } TRX)
        }.
       *[mixed] Баланс изменился, возможно, из-за других операций.
    }
operation-evidence-hidden = { $next ->
        [none] { $charged ->
            [none] Баланс
           *[other] Без учёта следующих покупок ({ AMOUNT($charged) } TRX) баланс
        } не изменился
       *[other] Перед вашей следующей операцией ({ $next }) баланс был прежним
    }, но списание мог скрыть возврат за более ранний заказ.
operation-evidence-one-of =
    { $charged ->
        [none] Баланс
       *[other] Без учёта следующих покупок ({ AMOUNT($charged) } TRX) баланс
    } меньше на <b>{ AMOUNT($fell) } TRX</b>: вероятно, списана одна из операций, { $refs }. Какая именно, определить нельзя.
operation-evidence-deposited = С тех пор поступило пополнение на { AMOUNT($deposited) } TRX{ $fell ->
        [none] .
       *[other] . Без него{ $charged ->
            [none] {""}
           *[other] {" "}и без следующих покупок ({ AMOUNT($charged) } TRX)
        } баланс меньше на <b>{ AMOUNT($fell) } TRX</b>{ $by ->
            [price] , ровно на цену с карточки
           *[other] {""}
        }.{ $others ->
            [yes] {" "}Причиной могла быть и другая операция.
           *[no] {""}
        }
    }
operation-fell = Баланс уменьшился ровно на цену с карточки{ $price ->
        [none] {""}
       *[other] {" "}(<b>{ AMOUNT($price) } TRX</b>)
    }, но сервис ничего не подтвердил.
operation-likely = <b>Не повторяйте операцию</b>, пока не проверите адрес.
operation-likely-until = Если заказ выполнен, аренда действует до <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>.
operation-likely-next = { $by ->
        [report] Сервис ещё может сообщить об этом заказе в течение суток: тогда я напишу.
        [balance] Если заказ не выполнят, деньги вернутся на баланс: я слежу за этим до конца аренды или пока вы не нажмёте «{ button-i-checked }».
       *[none] Больше узнать я не смогу: проверьте адрес и нажмите «{ button-i-checked }».
    }
operation-closed = ☑️ <b>Закрыто после проверки</b>
operation-already = ℹ️ <b>Уже активен.</b> Ничего не списано.
operation-closed-note = Результат остался неизвестным.
operation-closed-next = { $reported ->
        [yes] Больше я не проверяю, но если сервис сообщит об этом заказе, я напишу.
       *[no] Больше я не проверяю.
    }
operation-decided = ❌ <b>Поддержка проверила: операция не прошла</b>
operation-operators = 🏦 Платит <b>аккаунт оператора</b>. Администраторы получат уведомление.
operation-by-hand =
    { $outcome ->
        [done] 👤 Поддержка проверила, операция прошла:
       *[not-done] 👤 Причина:
    } <i>{ $reason }</i>
    { $price ->
        [none] { $left ->
            [none] { $before ->
                [none] Проверьте по балансу, было ли списание.
               *[other] До операции на балансе было { AMOUNT($before) } TRX: проверьте, было ли списание.
            }
           *[other] До операции на балансе было { AMOUNT($before) } TRX, при последней проверке – { AMOUNT($left) } TRX{ $deposited ->
                [none] {""}
               *[other] {" "}(с пополнениями на { AMOUNT($deposited) } TRX)
            }.
        }
       *[other] Баланс уменьшился на <b>{ AMOUNT($price) } TRX</b>, ровно на цену заказа.
    }
operation-support = Поддержка: { $url }
operation-here = ⬆️ { $order ->
        [none] Операция { $id }
       *[other] Заказ { $order }
    }:
button-i-checked = Проверено, закрыть
button-show-new-price = Карточка с новой ценой
button-show-again = ↻ Показать снова

## Её результат
operation-order = Заказ <b>{ $order }</b>
operation-price = Списано: <b>{ AMOUNT($price) } TRX</b>
operation-price-differs = Списано: <b>{ AMOUNT($price) } TRX</b> (оценка была { AMOUNT($estimate) } TRX)
operation-price-of-card = Списано: <b>≈ { AMOUNT($price) } TRX</b>, цена с карточки
operation-price-unknown = Списано: сумма неизвестна, смотрите баланс
operation-transaction = Транзакция: <code>{ $hash }</code>
operation-left = Осталось на балансе: { AMOUNT($balance) } TRX
operation-unlinked = Аккаунт { $account } здесь больше не привязан, поэтому я не увижу, чем всё закончится. Проверьте адрес.
order-awaited = ⏳ <b>Куплено, доставляется</b>
order-awaited-note = { $usdt ->
        [yes] Пока не отправляйте USDT.{" "}
       *[no] {""}
    }Напишу, когда всё придёт.
order-unseen = ⏳ <b>Куплено.</b> Обычно приходит за минуту.
order-unseen-since = ⏳ <b>Куплено.</b> Я не вижу, пришёл ли заказ.
order-unseen-note = { $arrival ->
        [said] { $usdt ->
            [yes] Прежде чем отправлять USDT, проверьте адрес
           *[no] Проверьте адрес
        }
       *[unsaid] Доставку я не вижу: { $usdt ->
            [yes] прежде чем отправлять USDT, проверьте адрес
           *[no] проверьте адрес
        }
    }. Если заказ не выполнят, деньги вернутся: я слежу за этим.
order-unseen-late = Прошло больше 30 минут. Если на адресе ничего нет, напишите { $support ->
        [none] сервису
       *[other] в поддержку
    } и назовите номер заказа.
order-over = ⌛ <b>Аренда закончилась.</b> Я не вижу, был ли заказ доставлен.
order-returned = ↩️ { $found ->
        [known] <b>Похоже, заказ не выполнен и деньги вернулись</b>
        [together] <b>Вернулось { AMOUNT($trx) } TRX:</b> похоже, заказы { $orders } не выполнены и деньги за них вернулись.
        [as-before] <b>Баланс такой же, как до вашей операции { $id }:</b> похоже, заказ не выполнен и деньги вернулись.
       *[own] { $trx ->
            [none] <b>Баланс такой же, как до заказа:</b> похоже, заказ не выполнен и деньги вернулись.
           *[other] <b>На баланс пришло { $price ->
                [card] ≈{" "}
               *[charged] {""}
            }{ AMOUNT($trx) } TRX:</b> похоже, заказ не выполнен и деньги вернулись.
        }
    }
order-either-note = { $balance ->
        [none] {""}
       *[other] Баланс: { AMOUNT($balance) } TRX.{" "}
    }{ $of ->
        [all] Проверьте адреса
       *[own] Проверьте адрес
    }, прежде чем { $usdt ->
        [yes] отправлять USDT или покупать снова.
       *[no] покупать снова.
    }
order-returned-note = Но заказ мог и прийти: проверьте адрес, прежде чем покупать снова.
order-alerts-on = Возможно, заказ уже пришёл: проверьте адрес.{ $usdt ->
        [yes] {" "}Отправляйте USDT, только если энергия там.
       *[no] {""}
    } Если сервис сообщит, что заказ пришёл или сорвался, я напишу.
order-alerts = <i>🔔 О доставке сообщат мгновенные уведомления. Если их получает другая программа, она их потеряет.</i>
button-tell-arrival = 🔔 Сообщить о доставке
order-delivered = ✅ <b>Куплено и доставлено</b>
order-partly-delivered = 🟠 <b>Доставлено частично</b>
order-part = { $delivered } из { $what }
order-partial = Пока доставлено: <b>{ $part }</b>. Об остатке и о возврате сервис не сообщал.
order-undelivered = ❌ <b>Не доставлено</b>
order-refund =
    { $refund ->
        [reported] Сервис сообщил о возврате <b>{ AMOUNT($trx) } TRX</b>.
        [confirmed] Сервис подтвердил этот возврат: <b>{ AMOUNT($trx) } TRX</b>.
        [awaited] Возврата пока не видно. Я проверю ещё раз.
        [unclear] Пока не видно, вернулись ли деньги: { $open ->
            [none] баланс могли изменить и другие заказы или платежи
           *[other] был неизвестен результат операции <code>{ $open }</code>
        }. Я проверю ещё раз.
        [either] Вернулось <b>{ AMOUNT($trx) } TRX</b>: похоже, это возврат за { $orders ->
            [none] этот заказ или за другой
           *[other] заказ { $orders }
        }. За какой, не видно.
        [several] Вернулось <b>{ AMOUNT($trx) } TRX</b>: похоже, это возврат за один или несколько из заказов { $orders }. За какие, не видно.
        [either-known] <b>{ AMOUNT($trx) } TRX</b>, которые вернулись раньше, могут быть возвратом за { $orders ->
            [none] этот заказ или за другой
           *[other] заказ { $orders }
        }.
        [several-known] <b>{ AMOUNT($trx) } TRX</b>, которые вернулись раньше, могут быть возвратом за один или несколько из заказов { $orders }.
        [same] <b>За час возврат не появился.</b>
        [none] Возврата на балансе не видно.
        [unlinked] Проверить возврат не удалось: аккаунт { $account } здесь больше не привязан. Проверьте баланс в сервисе.
        [moved] Не видно, вернулись ли деньги: { $open ->
            [none] баланс могли изменить и другие заказы или платежи
           *[other] был неизвестен результат операции <code>{ $open }</code>
        }.
       *[unread] Проверить возврат не удалось.
    }
order-refund-seen = { $found ->
        [known] { $trx ->
            [none] То, что вернулось раньше, — похоже, возврат за этот заказ.
           *[other] <b>{ $price ->
                [card] ≈{" "}
               *[charged] {""}
            }{ AMOUNT($trx) } TRX</b>, которые вернулись раньше, — похоже, возврат за этот заказ.
        }
        [together] Вернулось <b>{ AMOUNT($trx) } TRX</b>: похоже, это возврат за заказы { $orders }.
        [as-before] Баланс такой же, как до вашей операции <code>{ $id }</code>: похоже, деньги за этот заказ вернулись.
       *[own] { $trx ->
            [none] Баланс такой же, как до заказа: похоже, деньги вернулись.
           *[other] На балансе снова есть эти <b>{ $price ->
                [card] ≈{" "}
               *[charged] {""}
            }{ AMOUNT($trx) } TRX</b>: похоже, это возврат.
        }
    }
order-refund-left = Баланс после возврата: { AMOUNT($balance) } TRX
order-refund-balances = { $is ->
        [same] При последней проверке баланс был таким же, как до этого заказа: { AMOUNT($left) } TRX.
       *[other] Баланс до этого заказа: { AMOUNT($before) } TRX, при последней проверке: { AMOUNT($left) } TRX.
    }
order-missed = Если заказ так и не пришёл, напишите { $support ->
        [none] сервису
       *[other] в поддержку
    } и назовите номер заказа.
order-refund-missing = { $balances ->
        [none] Сверьте баланс с разделом «{ button-balance } → { button-movements }».{" "}
       *[shown] {""}
    }{ $support ->
        [none] Если денег не хватает, напишите сервису.
       *[other] Денег не хватает? Напишите в поддержку.
    }
order-status = Статус: <code>{ $status }</code>

## Почему отказано
refusal-insufficient = { $balance ->
    [none] На балансе не хватает средств.
   *[other] На балансе <b>{ AMOUNT($balance) } TRX</b>{ $missing ->
        [none] , этого не хватает.
       *[other] , не хватает около <b>{ AMOUNT($missing) } TRX</b>.
    }
}
refusal-key = Сервис больше не принимает ваш API-ключ. Привяжите аккаунт заново.
refusal-limited = Сервис пока не принимает заказы. Попробуйте ещё раз { $when }.
refusal-address = Сервис не принимает этот адрес.
refusal-already = Этот адрес уже активен.
refusal-offline = Сервис сейчас этого не выполнит. Попробуйте ещё раз через несколько минут.
refusal-unlinked = Аккаунт отвязали или сменили.
refusal-gone = Этой подписки больше нет.
refusal-unchanged = Уже так и есть.
refusal-changed = Сервис изменил предложение. Начните заново, чтобы увидеть новое.
refusal-listed = У этого адреса уже есть Smart Mode.
refusal-locked = Другая операция ещё не закончена. Попробуйте ещё раз через десять минут.
refusal-code = Код неверный или уже использован.{ $codes ->
        [3] {" "}Это третий раз подряд. Проверьте, что код от этого аккаунта и что часы телефона идут точно.
       *[other] {""}
    }
refusal-code-gone = Код устарел.
refusal-codes-off = 2FA только что отключили. Включите её в сервисе и попробуйте ещё раз.
refusal-codes-on = 2FA включили. Попробуйте ещё раз, уже с кодом.
refusal-blocked = Этот адрес заблокировал пользователь этого аккаунта.
refusal-unannounced = Для этого адреса нужна пауза безопасности.
refusal-cap = Больше дневного лимита. Выведите меньше или включите 2FA.
refusal-balance = Баланс изменился.
refusal-price = Цена выросла до <b>{ AMOUNT($price) } TRX</b> (была { AMOUNT($estimate) } TRX).
refusal-operator = С аккаунта оператора вывод недоступен.
refusal-operator-cap = Это больше дневного лимита аккаунта оператора.
refusal-operator-ongoing = На аккаунте оператора Smart Mode недоступен.
refusal-expired = Запрос не отправлен вовремя. Попробуйте ещё раз.
refusal-interrupted = { refusal-expired }
refusal-smart-mode = У этого адреса уже есть Smart Mode, возможно, в другом аккаунте.
refusal-package = У этого адреса есть пакет переводов, поэтому Smart Mode для него недоступен.
refusal-state = Сейчас сервис этого не позволяет: состояние изменилось.
refusal-other = Сервис отказал и не назвал понятной причины.

## Ответы на нажатия на старых карточках
operation-no-record = ⌛ <b>Эта карточка слишком старая.</b> { $reader ->
        [guest] Если вы её подтвердили, операция могла пройти. Счета — в /invoices.
       *[holder] Если вы её подтвердили, сначала проверьте /history и баланс.
    }
toast-notice-changed = Предупреждение изменилось. Ничего не списано.
toast-no-price = Цена всё ещё неизвестна. Ничего не списано.
toast-expired = Карточка устарела. Ничего не списано. Начните заново.
toast-void = Карточка могла сработать. Проверьте баланс и историю.
toast-going = Уже отправляется.
toast-card-over = Уже обработано.
toast-card-new = Проверьте данные и нажмите ещё раз.
toast-card-below = Карточка теперь ниже.
toast-card-replaced = Есть карточка новее.
toast-card-old = Эта карточка слишком старая.
toast-no-operation = Эта операция больше недоступна.
