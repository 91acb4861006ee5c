import type { Phrases } from "./phrases.ts";
import { list } from "./phrases.ts";

export const french: Phrases = {
  spaced: true,
  says: list(`
    ok, okay, d'accord, d'acc, dac, entendu, bien entendu, compris, bien compris, j'ai compris, j'ai bien compris, je comprends, je vois, noté, bien noté, c'est noté, c'est bien noté, je note, pris en compte, bien pris en compte, pris note, reçu, bien reçu, message reçu, demande reçue, tâche reçue, bien reçue, ça marche, ça roule, pas de souci, pas de soucis, c'est parti, allons-y, allons y, on y va, j'y vais, je m'y mets, je m'y mets tout de suite, je m'en occupe, je m'en charge, je le fais, je vais le faire, je fais ça, je fais cela, ce sera fait, c'est comme si c'était fait, tout de suite, en cours, c'est en cours, en cours de traitement, je suis dessus, je suis déjà dessus, j'y travaille, j'y travaille déjà, merci, merci beaucoup, merci bien, merci à vous, merci à toi, un grand merci, volontiers, à votre service, un instant, un moment, une seconde, une minute, deux minutes, un instant s'il vous plaît, patientez, veuillez patienter, à suivre, la suite arrive, je reviens, je reviens vers vous, je reviens vers toi, je vous tiens au courant, je te tiens au courant, à tout de suite, à bientôt, accusé de réception, j'accuse réception, vu, bien vu, lu, bien lu, c'est clair, très clair, tâche acceptée, je commence, je démarre, je me lance, je regarde, je regarde ça, je vérifie, je vérifie ça, je vais voir, on regarde, parti`),
  will: list(
    `je vais, on va, nous allons, laissez-moi, laisse-moi, laissez moi, laisse moi, permettez-moi de, je compte, je souhaite, je voudrais, je veux`,
  ),
  verbs: list(
    `vérifier, verifier, regarder, voir, examiner, analyser, étudier, investiguer, enquêter, chercher, rechercher, commencer, démarrer, débuter, travailler, m'en occuper, m'occuper, m'y mettre, me pencher, jeter un œil, jeter un oeil, jeter un coup d'œil, jeter un coup d'oeil, y jeter, le faire, la faire, faire, faire le nécessaire, traiter, corriger, réparer, résoudre, revoir, relire, lire, tester, lancer, creuser, continuer, procéder, revenir, vous tenir, te tenir, vous répondre, te répondre, répondre, vous informer, t'informer, vous dire, consulter, contrôler, inspecter, préparer, rédiger, créer, écrire, mettre en place, mettre en œuvre, implémenter, essayer, prendre, m'assurer, maintenant, immédiatement, tout de suite, d'abord, donc`,
  ),
  objects: [],
  open: list(
    `je check, je corrige, j'ajoute, j'écris, je crée, je modifie, je fais, je m'attaque, je m'attelle, je passe à, je bascule, je suis sur, donnez-moi, donne-moi, laissez-moi, je prends en charge, je prends ça, désolé pour, je m'excuse, toutes mes excuses, j'en prends note, j'implémente, je mets, je supprime, j'ouvre, je ferme, je vérifie, je regarde, j'examine, j'analyse, j'étudie, je cherche, je commence, je démarre, je travaille, je m'occupe, je me penche, je jette, je traite, je corrige, je lis, je relis, je lance, je teste, je prends, je prépare, je continue, je procède, je reviens, je vous reviens, je vous tiens, je te tiens, je vous réponds, je te réponds, je vous informe, je vous recontacte, je te recontacte, j'inspecte, je consulte, je creuse, je fais le point, je fais le nécessaire, je fais un point, je suis en train, je m'en occupe, je m'y mets, merci pour, merci de, merci d', j'ai bien reçu, j'ai reçu, j'ai pris note, j'ai bien noté, j'ai noté, bonne réception de, votre message a, votre demande a, ta demande a, ton message a, dès que, une fois terminé, vérification en cours, analyse en cours, traitement en cours, recherche en cours, j'ai commencé à, je vous ferai, je te ferai, je vous donnerai, je vérifierai, je reviendrai, je m'en occuperai, je regarderai`,
  ),
  endings: [],
  before: list(
    `je te, je vous, ensuite je, et, puis, alors, donc, bon, bien, très bien, parfait, super, ok, d'accord, oui bien sûr, bien sûr, tout, c'est, merci, bonjour, salut, ensuite, maintenant, actuellement, je, j'ai, tâche, message, demande, d'abord, pour commencer, immédiatement`,
  ),
  after: list(
    `et, puis, de, du, des, la, le, les, l', un, une, votre, vos, ton, ta, tes, ce, cet, cette, ça, cela, ceci, à, au, vous, te, toi, je, j', m', en, y, tout, tout de suite, immédiatement, maintenant, rapidement, au plus vite, dès que possible, dans la foulée, bientôt, plus tard, aujourd'hui, demain, sous peu, d'ici peu, vite, message, demande, tâche, mission, consigne, consignes, instruction, instructions, information, informations, infos, info, précisions, retour, résultat, résultats, nouvelles, chef, patron, dès que c'est fait, dès que c'est prêt, dès que j'ai terminé, dès que j'ai fini, quand c'est prêt, une fois terminé, au courant, vers, reviens, tiens, pour, avec, sur, s'il vous plaît, s'il te plaît, encore, bien, beaucoup, moment, instant, minutes, dans quelques minutes, dans un instant, dans un moment, prochainement, aussi, plus`,
  ),
  companions: list(
    `vous avez raison, tu as raison, ça me va, ça me semble bien, c'est une bonne idée, de rien, je vous en prie, je t'en prie, avec plaisir, bien sûr, certainement, absolument, tout à fait, parfait, super, génial, très bien, bien, excellent, bonjour, salut, bonsoir, pas de problème, aucun problème, exact, exactement, confirmé, cordialement, bonne idée, bonne question, désolé, évidemment, avec plaisir`,
  ),
  reasons: list(
    `parce que, car, puisque, en utilisant, via, grâce à, mais, cependant, plutôt que, au lieu de, qui, dont`,
  ),
  states: list(`est, était, sont, ont, montre, peut, doit`),
  assents: list(`oui, ouais, oui bien sûr, oui chef`),
  alone: list(`en cours, chargement, je réfléchis`),
};

export const spanish: Phrases = {
  spaced: true,
  says: list(`
    ok, okay, vale, de acuerdo, entendido, entiendo, lo entiendo, ya entiendo, comprendido, comprendo, recibido, mensaje recibido, tarea recibida, solicitud recibida, anotado, tomo nota, tomado nota, tomada nota, queda anotado, apuntado, enterado, enterada, copiado, hecho entendido, listo entendido, dale, va, órale, sale, oído, oído cocina, a la orden, a sus órdenes, a tus órdenes, en ello, estoy en ello, ya estoy en ello, estoy en eso, ya estoy en eso, ando en eso, en eso estoy, me pongo, me pongo a ello, me pongo con ello, me pongo en ello, ya me pongo, me encargo, yo me encargo, me encargo de ello, me encargo de eso, lo hago, ya lo hago, lo haré, así lo haré, lo reviso, ya lo reviso, lo miro, ya lo miro, lo veo, lo compruebo, lo verifico, voy, voy a ello, voy con ello, vamos, vamos a ello, vamos allá, manos a la obra, ahora mismo, enseguida, en seguida, en camino, en proceso, en curso, en marcha, trabajando, trabajando en ello, trabajando en eso, gracias, muchas gracias, mil gracias, gracias a ti, encantado, encantada, un momento, un momentito, un segundo, un minuto, dame un momento, dame un minuto, dame un segundo, espera, espere, un momento por favor, ya vuelvo, ahora vuelvo, te aviso, le aviso, os aviso, te cuento, te mantengo al tanto, le mantengo informado, te mantengo informado, quedo atento, quedo pendiente, quedo a la espera, acuse de recibo, acuso recibo, visto, leído, está claro, todo claro, me queda claro, tarea aceptada, empiezo, empiezo ya, empezando, comienzo, comenzando, arranco, a la brevedad`),
  will: list(
    `voy a, vamos a, déjame, dejame, déjeme, permíteme, permítame, permiteme, quiero, quisiera, me gustaría, pienso, procederé a, procedo a, paso a, empezaré a, empezaré por, comenzaré a, comenzaré por, empiezo a, comienzo a, empiezo por, intentaré`,
  ),
  verbs: list(
    `revisar, revisarlo, revisarla, verificar, verificarlo, comprobar, comprobarlo, mirar, mirarlo, ver, verlo, ver qué pasa, echar un vistazo, echarle un vistazo, echar un ojo, investigar, investigarlo, analizar, analizarlo, examinar, estudiar, empezar, comenzar, iniciar, trabajar, encargarme, ocuparme, hacerlo, hacer, hacer eso, ponerme, ponerme a ello, ponerme con ello, atender, resolver, resolverlo, arreglar, arreglarlo, corregir, corregirlo, leer, leerlo, probar, probarlo, ejecutar, buscar, continuar, seguir, proceder, responder, responderte, avisarte, avisarle, informarte, informarle, contarte, decirte, preparar, crear, escribir, implementar, consultar, inspeccionar, depurar, mantenerte, tomar, ahora, ahora mismo, primero`,
  ),
  objects: [],
  open: list(
    `te doy, te escribo, te digo, doy noticias, dame, deme, corrijo, arreglo, corregiré, arreglaré, paso a, voy con, voy por, me pongo en, le doy, le daré, lo arreglo, lo corrijo, lo soluciono, lo resuelvo, lo preparo, escribo, crearé, añado, añadiré, implemento, implementaré, disculpa por, perdón por, lamento, ahora lo, ahora mismo lo, ahora la, ya lo, enseguida lo, reviso, revisaré, verifico, verificaré, compruebo, comprobaré, miro, miraré, echo un vistazo, le echo, echaré un vistazo, investigo, investigaré, analizo, analizaré, examino, examinaré, estudio, estudiaré, empiezo, empezaré, comienzo, comenzaré, trabajo en, trabajaré, me encargo de, me encargaré, me ocupo, me ocuparé, me pongo con, me pongo a, me pondré, lo revisaré, lo miraré, lo haré, lo investigaré, lo comprobaré, lo verificaré, la revisaré, los revisaré, haré, te aviso, te avisaré, le aviso, le avisaré, os avisaré, te informo, te informaré, le informo, le informaré, te cuento, te contaré, te respondo, te responderé, te mantendré, le mantendré, te mantengo, le mantengo, te digo, te diré, informaré, avisaré, responderé, volveré, vuelvo con, revisando, verificando, comprobando, investigando, analizando, trabajando, examinando, mirando, buscando, empezando, comenzando, estoy revisando, estoy trabajando, estoy investigando, estoy analizando, estoy mirando, estoy comprobando, estoy verificando, estoy en, sigo trabajando, sigo en, gracias por, muchas gracias por, he recibido tu, he recibido su, he recibido el, he recibido la, recibí tu, recibí su, recibí el, tomo nota de, entiendo la, entiendo el, entiendo lo, entiendo que, en cuanto, cuando termine, cuando tenga, tan pronto, procederé, procedo, atenderé, resolveré, leeré, continuaré, seguiré, prepararé, quedo a`,
  ),
  endings: [],
  before: list(
    `te, le, ya te, luego te, después te, y, entonces, luego, pues, bueno, bien, muy bien, perfecto, genial, estupendo, ok, vale, claro, claro que sí, por supuesto, ahora, ahora mismo, ya, enseguida, hola, gracias, yo, lo, la, primero, de inmediato, inmediatamente, mensaje, tarea, solicitud, actualmente, todo, con eso, a continuación, sin problema, listo, desde luego, en breve`,
  ),
  after: list(
    `y, de, del, la, el, los, las, lo, le, te, se, me, tu, su, tus, sus, un, una, este, esta, esto, eso, ello, a, al, en, con, por, para, que, ya, ahora, ahora mismo, enseguida, en seguida, de inmediato, inmediatamente, cuanto antes, lo antes posible, pronto, en breve, luego, después, más tarde, hoy, mañana, primero, por favor, mensaje, tarea, solicitud, petición, encargo, instrucciones, indicaciones, información, info, aviso, aclaración, detalles, resultado, resultados, novedades, novedad, noticias, actualización, avance, avances, jefe, equipo, todo, muy, muchas, mucho, cuando termine, cuando esté, cuando esté listo, en cuanto termine, en cuanto tenga, algo, más, aviso, aviso cuando, momento, minutos, rato, gracias, perfectamente, correctamente, clara, claro, también, bien, ello mismo`,
  ),
  companions: list(
    `tienes razón, tiene razón, me parece bien, suena bien, de nada, con gusto, con mucho gusto, claro, claro que sí, por supuesto, desde luego, perfecto, genial, estupendo, excelente, bien, muy bien, bueno, hola, buenos días, buenas, buenas tardes, sin problema, sin problemas, no hay problema, correcto, exacto, confirmado, cierto, saludos, un saludo, buena idea, buena pregunta, disculpa, perdón, listo`,
  ),
  reasons: list(`porque, ya que, pues, usando, mediante, gracias a, pero, sin embargo, en lugar de, en vez de, cuyo`),
  states: list(`es, era, está, son, fue, ha, tiene, puede, debe, muestra`),
  assents: list(`sí, si, sí claro, sí señor, claro que sí`),
  alone: list(`trabajando, pensando, cargando, procesando`),
};

export const portuguese: Phrases = {
  spaced: true,
  says: list(`
    ok, okay, certo, tá, tá bom, tá certo, está bem, está bom, beleza, blz, combinado, entendido, entendi, entendo, compreendido, compreendi, compreendo, percebido, percebi, recebido, mensagem recebida, tarefa recebida, pedido recebido, recebi, anotado, anotei, registrado, registado, ciente, fico ciente, estou ciente, tomei nota, tomo nota, copiado, pode deixar, deixa comigo, deixe comigo, é pra já, já vou, vou já, já estou nisso, estou nisso, estou a tratar disso, trato disso, eu trato disso, já trato disso, já estou a tratar, já estou trabalhando nisso, trabalhando nisso, estou trabalhando nisso, a trabalhar nisso, faço isso, vou fazer, vou fazer isso, farei, farei isso, farei isso agora, assim farei, vou ver, vou verificar, vou olhar, vou conferir, cuido disso, eu cuido disso, vou cuidar disso, já verifico, já vejo, em andamento, em curso, em progresso, a caminho, começando, a começar, comecei, vou começar, vamos lá, vamos nessa, bora, mãos à obra, obrigado, obrigada, muito obrigado, muito obrigada, valeu, grato, agradeço, com certeza farei, um momento, um instante, um segundo, um minuto, só um momento, só um minuto, só um instante, só um segundo, espere um momento, aguarde, aguarde um momento, por favor aguarde, já volto, volto já, aviso, te aviso, já te aviso, aviso já, mantenho informado, mantenho-te informado, mantenho você informado, visto, lido, tudo claro, está claro, ficou claro, tarefa aceita, tarefa aceite, à disposição, fechado, show, tranquilo, na escuta`),
  will: list(
    `vou, irei, vamos, iremos, deixe-me, deixa-me, deixe eu, deixa eu, permita-me, quero, gostaria de, pretendo, começarei a, começarei por, vou começar por, vou começar a, passo a, vou agora, vou já, vou tentar`,
  ),
  verbs: list(
    `verificar, ver, olhar, conferir, checar, dar uma olhada, dar uma vista de olhos, investigar, analisar, examinar, estudar, começar, iniciar, trabalhar, tratar, tratar disso, cuidar, cuidar disso, fazer, fazer isso, resolver, corrigir, consertar, arrumar, ler, testar, rodar, executar, procurar, pesquisar, buscar, continuar, prosseguir, responder, responder-te, te responder, avisar, te avisar, avisá-lo, informar, te informar, informá-lo, dizer, preparar, criar, escrever, implementar, consultar, inspecionar, depurar, manter, mantê-lo, revisar, rever, retornar, voltar, te dar, dar um retorno, dar retorno, tomar, agora, já, primeiro, imediatamente`,
  ),
  objects: [],
  open: list(
    `dou um retorno, dou retorno, dou notícias, te dou, me dê, dê-me, me dá, corrijo, arrumo, vou corrigir, passo para, ajusto, ajustarei, escrevo, crio, criarei, adiciono, implemento, implementarei, desculpe pelo, desculpa pelo, peço desculpa, já faço, já vejo, já corrijo, já verifico, verifico, verificarei, vejo, verei, confiro, conferirei, investigo, investigarei, analiso, analisarei, examino, examinarei, começo, começarei, trabalharei, cuidarei, tratarei, trato de, farei, resolvo, resolverei, corrijo, corrigirei, lerei, testarei, aviso assim, aviso quando, te aviso, avisarei, te avisarei, aviso-te, aviso-o, informo, informarei, te informo, responderei, te respondo, respondo, retorno, retornarei, volto com, voltarei, volto a, dou retorno, darei retorno, mantenho, manterei, verificando, analisando, investigando, conferindo, olhando, trabalhando, examinando, começando, iniciando, revisando, estou verificando, estou analisando, estou investigando, estou trabalhando, estou olhando, estou a verificar, estou a analisar, estou a trabalhar, estou a ver, a verificar, a analisar, continuo, continuarei, obrigado por, obrigada por, obrigado pela, obrigada pela, obrigado pelo, obrigada pelo, obrigado pelas, agradeço a, agradeço o, agradeço pela, recebi sua, recebi seu, recebi a, recebi o, entendi a, entendi o, entendi que, entendo que, assim que, quando terminar, quando tiver, prepararei, revisarei, prosseguirei, dou uma olhada, darei uma olhada, sua mensagem foi, seu pedido foi, a tarefa foi recebida`,
  ),
  endings: [],
  before: list(
    `te, lhe, já te, logo te, depois te, e, então, depois, bem, muito bem, perfeito, ótimo, ok, certo, claro, claro que sim, com certeza, agora, já, olá, oi, obrigado, obrigada, eu, primeiro, imediatamente, mensagem, tarefa, pedido, atualmente, tudo, sem problema, sim senhor, de imediato, em seguida, logo`,
  ),
  after: list(
    `e, de, da, do, das, dos, a, o, as, os, um, uma, sua, seu, tua, teu, isso, isto, disso, nisso, este, esta, em, no, na, com, por, para, que, já, agora, agora mesmo, imediatamente, de imediato, logo, em breve, em instantes, o mais rápido possível, o quanto antes, assim que possível, depois, mais tarde, hoje, amanhã, primeiro, por favor, mensagem, tarefa, pedido, solicitação, instruções, informação, informações, info, aviso, detalhes, resultado, resultados, novidades, novidade, retorno, atualização, atualizações, chefe, equipe, equipa, tudo, muito, assim que terminar, quando terminar, quando estiver pronto, assim que tiver, assim que estiver pronto, algo, mais, te aviso, aviso, momento, minutos, perfeitamente, claramente, também, bem, rapidinho, você, te`,
  ),
  companions: list(
    `tem razão, você tem razão, tens razão, parece bom, soa bem, de nada, disponha, com prazer, claro, claro que sim, com certeza, perfeito, ótimo, excelente, bem, muito bem, bom, olá, oi, bom dia, boa tarde, sem problema, sem problemas, não há problema, correto, exato, confirmado, abraço, abraços, cumprimentos, atenciosamente, boa ideia, boa pergunta, desculpe, desculpa, pronto`,
  ),
  reasons: list(`porque, pois, já que, usando, através, graças a, mas, porém, em vez de, ao invés de, cujo`),
  states: list(`era, está, são, foi, tem, pode, deve, mostra`),
  assents: list(`sim, sim claro, sim senhor`),
  alone: list(`trabalhando, pensando, carregando, processando`),
};

export const italian: Phrases = {
  spaced: true,
  says: list(`
    ok, okay, va bene, d'accordo, capito, ho capito, tutto chiaro, chiaro, è chiaro, compreso, ho compreso, comprendo, capisco, ricevuto, messaggio ricevuto, richiesta ricevuta, compito ricevuto, ho ricevuto, annotato, preso nota, prendo nota, ho preso nota, segnato, letto, visto, agli ordini, ci penso io, me ne occupo, me ne occupo io, me ne occupo subito, me ne occuperò, ci sono, ci sto lavorando, ci lavoro, ci lavoro subito, sto lavorando, al lavoro, mi metto al lavoro, mi metto subito al lavoro, mi ci metto, mi ci metto subito, sono al lavoro, lo faccio, lo faccio subito, lo farò, sarà fatto, provvedo, provvedo subito, provvederò, procedo, procedo subito, inizio, inizio subito, comincio, comincio subito, parto subito, subito, in corso, in lavorazione, controllo subito, controllo, controllo io, verifico, verifico subito, guardo, guardo subito, ci guardo, do un'occhiata, ci do un'occhiata, vado, andiamo, iniziamo, grazie, grazie mille, molte grazie, ti ringrazio, la ringrazio, grazie a te, volentieri, un momento, un attimo, un secondo, un minuto, solo un attimo, attendere, attendere attenda, aspetta, torno subito, ti faccio sapere, le faccio sapere, vi faccio sapere, ti aggiorno, la aggiorno, vi aggiorno, ti tengo aggiornato, la tengo aggiornata, a breve, a presto, a dopo, ci vediamo dopo, resto in attesa, incarico accettato, fatto presente`),
  will: list(
    `sto per, vado a, voglio, vorrei, lasciami, lasciatemi, mi lasci, permettimi di, adesso vado a, inizio a, comincio a, inizierò a, inizierò con, comincerò a, comincerò con, provo a, proverò a, cercherò di, provvederò a, provvedo a, procedo a, procederò a, passo a, mi accingo a`,
  ),
  verbs: list(
    `controllare, verificare, guardare, vedere, dare un'occhiata, dargli un'occhiata, darci un'occhiata, investigare, indagare, analizzare, esaminare, studiare, iniziare, cominciare, lavorare, lavorarci, occuparmene, occuparmi, farlo, fare, risolvere, risolverlo, correggere, sistemare, leggere, provare, testare, eseguire, cercare, continuare, procedere, rispondere, risponderti, avvisarti, informarti, dirti, preparare, creare, scrivere, implementare, consultare, ispezionare, rivedere, tornare, aggiornarti, capire, subito, ora, adesso, prima`,
  ),
  objects: [],
  open: list(
    `guardo, dammi, mi dia, datemi, correggo, sistemo, preparo, scrivo, creo, aggiungo, aggiungerò, implemento, implementerò, passo a, passo al, mi scuso, scusa per, mi metto, ci guardo, lo guardo, lo controllo, lo verifico, lo sistemo, lo correggo, lo preparo, adesso lo, ora lo, subito lo, controllo subito, controllo i, controllo il, controllo la, controllo le, controllo gli, controllo lo, controllo e, controllerò, verifico i, verifico il, verifico la, verifico le, verifico e, verifico subito, verificherò, guardo i, guardo il, guardo la, guarderò, vedrò, darò un'occhiata, do un'occhiata, do subito un'occhiata, analizzo, analizzerò, esamino, esaminerò, indago, indagherò, studierò, inizio a, inizio con, inizierò, comincio a, comincio con, comincerò, lavoro a, lavorerò, mi occupo, mi occuperò, me ne occuperò, risolverò, correggerò, sistemerò, sistemo subito, leggerò, proverò, testerò, eseguirò, cercherò, continuo, continuerò, procederò, risponderò, ti rispondo, ti risponderò, le risponderò, ti avviso, ti avviserò, avviserò, ti informo, ti informerò, ti dico, ti dirò, ti faccio, ti farò, le farò, vi farò, farò sapere, ti aggiorno, ti aggiornerò, la aggiornerò, vi aggiornerò, ti terrò, la terrò, torno con, tornerò, sto controllando, sto verificando, sto analizzando, sto lavorando, sto guardando, sto esaminando, sto indagando, sto iniziando, sto cercando, controllando, verificando, analizzando, grazie per, grazie del, grazie della, grazie dell', ho ricevuto il, ho ricevuto la, ho ricevuto il tuo, ho capito il, ho capito la, ho capito cosa, ho capito che, capisco la, capisco il, appena ho, appena possibile, appena finito, appena so, non appena, quando ho, preparerò, rivedrò, farò`,
  ),
  endings: [],
  before: list(
    `ti, le, poi ti, vi, e, poi, allora, quindi, bene, molto bene, benissimo, perfetto, ottimo, ok, va bene, certo, certamente, ora, adesso, subito, ciao, salve, grazie, io, prima, immediatamente, messaggio, richiesta, compito, attualmente, tutto, nessun problema, già, sì certo, lo, la`,
  ),
  after: list(
    `e, di, del, della, dei, la, il, lo, le, gli, i, un, una, tuo, tua, suo, sua, questo, questa, ciò, ne, a, al, in, con, per, che, già, ora, adesso, subito, immediatamente, al più presto, il prima possibile, appena possibile, presto, a breve, poi, dopo, più tardi, oggi, domani, prima, per favore, messaggio, richiesta, compito, incarico, istruzioni, informazioni, informazione, info, avviso, dettagli, risultato, risultati, novità, aggiornamento, aggiornamenti, capo, tutto, molto, mille, quando ho finito, appena ho finito, appena finito, appena pronto, quando è pronto, qualcosa, più, faccio sapere, ti, vi, momento, minuti, perfettamente, chiaramente, anche, bene, ti aggiorno, ti faccio sapere, io, me`,
  ),
  companions: list(
    `hai ragione, ha ragione, mi sembra buono, suona bene, dammi un attimo, prego, di niente, figurati, con piacere, certo, certamente, ovviamente, naturalmente, assolutamente, perfetto, ottimo, bene, molto bene, benissimo, ciao, salve, buongiorno, nessun problema, esatto, corretto, confermato, giusto, cordiali saluti, saluti, buona idea, bella domanda, scusa, scusate, pronto`,
  ),
  reasons: list(`perché, poiché, siccome, usando, tramite, grazie a, ma, però, invece di, anziché, il cui`),
  states: list(`era, sono, ha, può, deve, mostra`),
  assents: list(`sì, si, sì certo, certo che sì`),
  alone: list(`al lavoro, sto pensando, caricamento, in elaborazione`),
};
