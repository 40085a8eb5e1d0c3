/** Tools described in Chinese, for estimates of tokens in a script with other proportions. */
import { declare, formed, oneOf, text, whole } from './tool.ts';
import type { FunctionTool } from './tool.ts';

type Row = readonly [name: string, description: string, subject: string, extra: string];

const rows: readonly Row[] = [
  [
    'query_weather',
    '查询指定城市未来几天的天气预报，包括气温、降水概率、风力和空气质量。',
    '城市名称，例如北京或上海。',
    '需要查询的天数。',
  ],
  [
    'search_train_tickets',
    '查询两座城市之间的火车票余票、车次、发车时间和票价，支持按座位等级筛选。',
    '出发城市和到达城市。',
    '乘客人数。',
  ],
  [
    'book_hotel',
    '预订酒店房间并返回确认编号，支付将从用户绑定的银行卡中扣除。',
    '酒店所在的城市或酒店名称。',
    '入住的天数。',
  ],
  [
    'order_takeaway',
    '根据用户的口味和地址下单外卖，返回预计送达时间和骑手联系方式。',
    '想吃的菜品或餐厅名称。',
    '用餐人数。',
  ],
  [
    'call_taxi',
    '从上车地点叫一辆出租车到目的地，返回车牌号、司机姓名和预估费用。',
    '上车地点的详细地址。',
    '乘车人数。',
  ],
  ['send_sms', '向指定手机号码发送短信，支持定时发送和短信签名。', '收件人的手机号码。', '重复发送的次数。'],
  [
    'create_meeting',
    '在日历中创建会议，邀请参会人员并预订会议室，冲突时返回可用时间。',
    '会议主题。',
    '会议时长，单位为分钟。',
  ],
  [
    'translate_document',
    '将文档翻译成目标语言，保留原有排版、表格和图片说明。',
    '文档的编号或链接。',
    '翻译的起始页码。',
  ],
  [
    'summarize_article',
    '阅读一篇文章并生成摘要，可以指定摘要的长度和重点关注的内容。',
    '文章的标题或链接。',
    '摘要的最多句数。',
  ],
  [
    'convert_currency_cn',
    '按照当日汇率换算货币金额，返回换算结果、汇率以及数据来源。',
    '原始货币和目标货币。',
    '换算的金额。',
  ],
  [
    'query_stock_price',
    '查询股票的最新价格、涨跌幅、成交量以及历史走势。',
    '股票代码或公司名称。',
    '历史数据的天数。',
  ],
  [
    'pay_utility_bill',
    '缴纳水费、电费或燃气费，缴费前需要用户在手机上确认。',
    '缴费户号。',
    '缴费金额，单位为元。',
  ],
  [
    'track_express',
    '根据快递单号查询包裹的物流轨迹、当前位置和预计送达日期。',
    '快递单号。',
    '返回的轨迹条数。',
  ],
  [
    'apply_refund',
    '为已付款的订单申请退款，退款将原路退回并通知客户。',
    '订单编号。',
    '退款金额，单位为元。',
  ],
  [
    'submit_leave_request',
    '向主管提交请假申请，返回剩余的年假天数和审批进度。',
    '请假的原因。',
    '请假的天数。',
  ],
  [
    'search_knowledge',
    '在知识库中按照语义搜索帮助文章，返回能够回答问题的段落和链接。',
    '用自然语言描述的问题。',
    '返回的段落数量。',
  ],
  [
    'query_service_logs',
    '按照关键字、级别和时间范围搜索服务日志，最新的日志排在最前面。',
    '服务名称。',
    '返回的日志行数。',
  ],
  [
    'deploy_version',
    '将指定版本的服务部署到目标环境，可以选择滚动发布或灰度发布。',
    '服务名称和版本号。',
    '灰度发布的百分比。',
  ],
  [
    'adjust_air_conditioner',
    '调节房间空调的温度、模式和风速，也可以设置定时开关。',
    '房间名称。',
    '目标温度，单位为摄氏度。',
  ],
  [
    'recommend_recipe',
    '根据现有食材推荐菜谱，包括烹饪步骤、所需时间和营养成分。',
    '现有的食材。',
    '用餐人数。',
  ],
];

/** Twenty tools described in Chinese. */
export const chineseTools: readonly FunctionTool[] = rows.map(([name, description, subject, extra]) =>
  declare({
    name,
    description,
    properties: {
      subject: text(subject),
      date: formed('date', '日期，留空则表示今天。'),
      amount: whole(1, 10_000, extra),
      priority: oneOf(['普通', '紧急'], '处理的优先级。'),
      remark: text('补充说明，最多一百个字。'),
    },
    required: ['subject'],
  }),
);

/** Questions in Chinese and the tool that answers each. */
export const chineseQuestions: readonly { readonly question: string; readonly tool: string }[] = [
  { question: '上海明天的天气怎么样？', tool: 'query_weather' },
  { question: '帮我查一下快递单号 ZX-4471920 的物流轨迹', tool: 'track_express' },
  { question: '请把卧室空调的温度调到二十六度', tool: 'adjust_air_conditioner' },
];
