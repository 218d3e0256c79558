import type { Language } from './language.ts';

/** Pashto as it is written in Afghanistan. */
export const pashto: Language = {
  templates: {
    booking_confirmed: {
      subject: 'په {hotel} کې ستاسو ریزرف {code} تایید شو',
      body: `{guest} ته سلامونه،

په {hotel} کې ستاسو ریزرف تایید شو. ستاسو د ریزرف کوډ {code} دی.

رارسېدل: {arrival}
تلل: {departure}
د شپو شمېر: {nights}

کوټه درکول کېږي: له {checkIn} څخه
کوټه پرېښودل: تر {checkOut} پورې

ټولې پیسې: {total}. {payment}

مهرباني وکړئ دا پیغام وساتئ. ستاسو راتګ ته سترګې په لار یو.`,
      short:
        '{hotel}: ریزرف {code} تایید شو. کوټه له {checkIn} څخه درکول کېږي، شپې: {nights}، ټولې پیسې {total}. {payment}',
    },
    hold_expired: {
      subject: 'په {hotel} کې ستاسو لپاره کوټه نوره نه ساتل کېږي',
      body: `{guest} ته سلامونه،

هغه کوټه چې په {hotel} کې له {arrival} څخه تر {departure} پورې ستاسو لپاره ساتل شوې وه، بېرته خلاصه شوه: {why}

هېڅ شی نه دی ریزرف شوی او پیسو ورکولو ته اړتیا نشته. که پیسې اخیستل شوې وي، بېرته درکول کېږي.

کولای شئ بیا ریزرف وکړئ.`,
      short:
        '{hotel}: ستاسو کوټه له {arrival} څخه تر {departure} پورې نوره نه ساتل کېږي: {why} پیسو ورکولو ته اړتیا نشته.',
    },
    payment_failed: {
      subject: 'په {hotel} کې ستاسو د پاتې کېدو تادیه ترسره نه شوه',
      body: `{guest} ته سلامونه،

په {hotel} کې له {arrival} څخه تر {departure} پورې ستاسو د پاتې کېدو تادیه ترسره نه شوه، نو کوټه نه ده ریزرف شوې.

که ستاسو له حساب څخه پیسې کمې شوې وي، بېرته درکول کېږي.

کولای شئ بیا هڅه وکړئ یا په بله لاره پیسې ورکړئ.`,
      short:
        '{hotel}: له {arrival} څخه تر {departure} پورې تادیه ترسره نه شوه او کوټه نه ده ریزرف شوې. کولای شئ بیا هڅه وکړئ.',
    },
    booking_cancelled: {
      subject: 'په {hotel} کې ریزرف {code} لغوه شو',
      body: `{guest} ته سلامونه،

په {hotel} کې له {arrival} څخه تر {departure} پورې ستاسو ریزرف {code} لغوه شو.

{refund}

هیله لرو چې بل ځل زموږ مېلمانه شئ.`,
      short: '{hotel}: ریزرف {code} له {arrival} څخه تر {departure} پورې لغوه شو. {refund}',
    },
    booking_modified: {
      subject: 'په {hotel} کې ریزرف {code} بدل شو',
      body: `{guest} ته سلامونه،

په {hotel} کې ستاسو په ریزرف {code} کې بدلون راغی: {changes}.

رارسېدل: {arrival}
تلل: {departure}

که تاسو دا نه وي غوښتي، مهرباني وکړئ موږ خبر کړئ.`,
      short:
        '{hotel}: په ریزرف {code} کې (له {arrival} څخه تر {departure} پورې) بدلون راغی: {changes}. که تاسو نه وي غوښتي، موږ خبر کړئ.',
    },
    dates_changed: {
      subject: 'په {hotel} کې ستاسو د پاتې کېدو نېټې بدلې شوې',
      body: `{guest} ته سلامونه،

په {hotel} کې ستاسو پاتې کېدل (ریزرف {code}) اوس له {arrival} څخه تر {departure} پورې دي. مخکې له {previousArrival} څخه تر {previousDeparture} پورې وو.

د شپو شمېر: {nights}

کوټه درکول کېږي: له {checkIn} څخه
کوټه پرېښودل: تر {checkOut} پورې`,
      short:
        '{hotel}: ریزرف {code} اوس له {arrival} څخه تر {departure} پورې دی، شپې: {nights} (مخکې {previousArrival} تر {previousDeparture}). کوټه له {checkIn} څخه درکول کېږي، پرېښودل یې تر {checkOut} پورې.',
    },
    dates_unavailable: {
      subject: 'په {hotel} کې په نویو نېټو خالي ځای نشته',
      body: `{guest} ته سلامونه،

په هغو نېټو چې تاسو غوښتې وې، له {wantedArrival} څخه تر {wantedDeparture} پورې، په {hotel} کې خالي ځای نشته.

ستاسو ریزرف {code} هماغسې پاتې دی: له {arrival} څخه تر {departure} پورې.`,
      short:
        '{hotel}: له {wantedArrival} څخه تر {wantedDeparture} پورې خالي ځای نشته. ریزرف {code} هماغسې پاتې دی: {arrival} تر {departure}.',
    },
    key_ready: {
      subject: 'په {hotel} کې ستاسو کیلي چمتو ده',
      body: `{guest} ته سلامونه،

{medium}

کیلي له {keyFrom} څخه تر {keyUntil} پورې کار کوي.

ستاسو د خوندیتوب لپاره د دروازې کوډ هېڅکله په پیغام کې نه لېږل کېږي.`,
      short: '{hotel}: {medium} کیلي له {keyFrom} څخه تر {keyUntil} پورې کار کوي.',
    },
    welcome: {
      subject: '{hotel} ته ښه راغلاست',
      body: `{guest} ته سلامونه،

{hotel} ته ښه راغلاست. ستاسو په راتګ خوښ یو.

کوټه پرېښودل تر {checkOut} پورې دي.

هر څه ته چې اړتیا لرئ، د هرکلي مېز ستاسو په خدمت کې دی.`,
      short: '{hotel} ته ښه راغلاست! کوټه پرېښودل تر {checkOut} پورې دي. د هرکلي مېز ستاسو په خدمت کې دی.',
    },
    receipt: {
      subject: 'په {hotel} کې ستاسو د پاتې کېدو رسید، ریزرف {code}',
      body: `{guest} ته سلامونه،

مننه چې له {arrival} څخه تر {departure} پورې د {hotel} مېلمه وئ.

ریزرف: {code}
د شپو شمېر: {nights}
د پاتې کېدو بیه: {total}

{balance}

ستاسو بل د هرکلي په مېز کې دی.`,
      short:
        '{hotel}: مننه چې له {arrival} څخه تر {departure} پورې زموږ مېلمه وئ (ریزرف {code}، شپې: {nights}، بیه {total}). {balance}',
    },
    stay_survey: {
      subject: 'په {hotel} کې مو شپې څنګه تېرې شوې؟',
      body: `{guest} ته سلامونه،

غواړو پوه شو چې په {hotel} کې ستاسو پاتې کېدل څنګه وو. مهرباني وکړئ دې پیغام ته له ۱ (بد) څخه تر ۵ (ډېر ښه) پورې په یوه شمېره ځواب راکړئ او ولیکئ چې څه باید ښه کړو.

که داسې پیغامونه نه غواړئ، راته ووایئ، نور یې نه لېږو.`,
      short:
        '{hotel}: پاتې کېدل مو څنګه وو؟ مهرباني وکړئ له ۱ (بد) څخه تر ۵ (ډېر ښه) پورې په یوه شمېره ځواب راکړئ. که داسې پیغامونه نه غواړئ، راته ووایئ.',
    },
    staff_alert: {
      subject: '{hotel}: مهرباني وکړئ ریزرف {code} وګورئ',
      body: `{alert}

ریزرف: {code}`,
      short: '{hotel}، ریزرف {code}: {alert}',
    },
  },
  phrases: {
    guest: 'مېلمه',
    comma: '، ',
    paid: 'ټولې پیسې ورکړل شوې دي.',
    partlyPaid: '{paid} ورکړل شوي او {outstanding} په هوټل کې ورکول کېږي.',
    onArrival: 'مهرباني وکړئ د رارسېدو پر مهال {outstanding} ورکړئ.',
    keptUntil: 'ستاسو کوټه تر {until} پورې ساتل کېږي.',
    refund: '{refund} بېرته درکول کېږي.',
    fee: 'د لغوه کولو فیس {fee} دی.',
    nothingDue: 'پیسو ورکولو ته اړتیا نشته.',
    settled: 'ټولې پیسې ورکړل شوې دي.',
    stillOpen: '{balance} لا نه دي ورکړل شوي.',
    noPayment: 'پیسې پر خپل وخت ونه رسېدې.',
    noRoom: 'هوټل ونه شو کولای هغه ستاسو لپاره وساتي.',
    passcode: 'د دروازې کوډ د هرکلي له مېز څخه اخلئ.',
    card: 'د کیلۍ کارت د هرکلي له مېز څخه اخلئ.',
    mobile_key: 'ستاسو موبایل کیلي چمتو ده؛ د هرکلي مېز یې په فعالولو کې مرسته کوي.',
    metal_key: 'کیلي د هرکلي له مېز څخه اخلئ.',
    changes: {
      guest: 'مېلمه',
      occupancy: 'د مېلمنو شمېر',
      room_assignment: 'کوټه',
      special_requests: 'ستاسو غوښتنې',
      locale: 'ژبه',
      rail: 'د پیسو ورکولو لاره',
    },
  },
};
