import type { Phrases } from "./phrases.ts";
import { list } from "./phrases.ts";

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
