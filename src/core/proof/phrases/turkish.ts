import type { Phrases } from "./phrases.ts";
import { list } from "./phrases.ts";

export const turkish: Phrases = {
  spaced: true,
  says: list(`bir dakika verin, bana bir dakika verin, hemen hallederim, ilgilenirim, 
    ok, okey, tamam, tamamdır, peki, olur, anladım, anlaşıldı, anlıyorum, not ettim, not edildi, not aldım, not alındı, kaydettim, aldım, alındı, mesajı aldım, mesajınızı aldım, mesaj alındı, görev alındı, görevi aldım, talebiniz alındı, gördüm, okudum, bakıyorum, bakarım, bakacağım, hemen bakıyorum, kontrol ediyorum, kontrol edeceğim, kontrol ederim, inceliyorum, inceleyeceğim, ilgileniyorum, ilgileneceğim, hemen ilgileniyorum, hallediyorum, hallederim, halledeceğim, hemen hallediyorum, yapıyorum, yapacağım, yaparım, hemen yapıyorum, başlıyorum, hemen başlıyorum, başladım, çalışıyorum, üzerinde çalışıyorum, üzerindeyim, üstündeyim, devam ediyorum, işlemde, yolda, hemen, derhal, geliyor, teşekkürler, teşekkür ederim, çok teşekkürler, çok teşekkür ederim, sağ ol, sağol, sağ olun, sağolun, eyvallah, memnuniyetle, seve seve, zevkle, bir dakika, bir saniye, bir an, bekleyin, bekle, lütfen bekleyin, biraz bekleyin, birazdan dönerim, döneceğim, geri döneceğim, size döneceğim, sana döneceğim, haber vereceğim, haber veririm, bilgi vereceğim, bilgilendireceğim, emredersiniz, baş üstüne, başüstüne, hadi başlayalım, başlayalım, kabul edildi, görevi kabul ettim, dikkate alacağım, dikkate aldım`),
  will: [],
  verbs: [],
  objects: [],
  open: list(
    `teşekkürler bilgi, mesajınız için teşekkür, mesajın için teşekkür, bilgi için teşekkür, şimdi bakıyorum, hemen bakıyorum`,
  ),
  endings: list(
    `düzelteyim, bakayım, kontrol edeyim, başlayayım, yapayım, ekleyeceğim, oluşturacağım, geçiyorum, uygulayacağım, yazıyorum, ekliyorum, özür dilerim, bakıyorum, bakacağım, bakarım, kontrol ediyorum, kontrol edeceğim, kontrol ederim, inceliyorum, inceleyeceğim, incelerim, araştırıyorum, araştıracağım, ilgileniyorum, ilgileneceğim, hallediyorum, halledeceğim, hallederim, yapacağım, yapıyorum, başlıyorum, başlayacağım, çalışıyorum, çalışacağım, çalışmaya başladım, çalışmaya başlıyorum, haber vereceğim, haber veririm, bilgi vereceğim, bilgi veririm, bilgilendireceğim, bildireceğim, bildiririm, döneceğim, dönerim, dönüş yapacağım, dönüş yaparım, paylaşacağım, paylaşırım, deneyeceğim, test edeceğim, okuyacağım, okuyorum, gözden geçireceğim, gözden geçiriyorum, göz atacağım, göz atıyorum, düzelteceğim, düzeltiyorum, analiz edeceğim, analiz ediyorum, devam edeceğim, devam ediyorum, hazırlayacağım, hazırlıyorum, yazacağım, ileteceğim, teşekkür ederim, teşekkürler, aldım, anladım, not ettim, not aldım`,
  ),
  before: list(
    `ve, o zaman, şimdi, hemen, tabii, tabii ki, elbette, harika, mükemmel, tamam, peki, merhaba, selam, önce, ilk olarak, mesaj, mesajınız, görev, talep, her şey, tamamen, ben, şu an, şu anda, bunu, buna, bunun, konuyu, konuyla, görevi, işi`,
  ),
  after: list(
    `ve, hemen, şimdi, derhal, en kısa sürede, mümkün olan en kısa sürede, kısa sürede, birazdan, az sonra, sonra, bugün, yarın, lütfen, efendim, patron, bunu, buna, bununla, konuyla, üzerinde, size, sana, bilgi, haber, sonuç, sonuçları, sonucu, mesaj, görev, talep, için, bitince, bitirince, hazır olunca, tamamlanınca, bittiğinde, hazır olduğunda, tamamladığımda, çok, da, de, her şeyi, işe, çalışmaya, dakika`,
  ),
  companions: list(
    `haklısın, haklısınız, kulağa hoş geliyor, rica ederim, bir şey değil, tabii, tabii ki, elbette, harika, mükemmel, süper, güzel, merhaba, selam, iyi günler, sorun değil, sorun yok, doğru, kesinlikle, onaylandı, saygılarımla, iyi fikir, güzel soru, özür dilerim, hazırım, memnuniyetle`,
  ),
  reasons: list(`çünkü, ama, fakat, ancak, yerine, kullanarak, sayesinde, nedeniyle`),
  states: [],
  assents: list(`evet, evet tabii, tabii evet`),
  alone: list(`çalışıyorum, düşünüyorum, yükleniyor, işleniyor`),
};
