"""Kinds of secrets and personal parts as templates: how they look, written from public descriptions, not from the rules.

`{W34}` is 34 random letters and digits, `X` hex, `N` digits, `C` capitals and digits, `L` small letters and digits, `B` base64,
`D` letters, digits, `_` and `-`, `O` an octet, `S` the seconds part of a group of two hex digits, `U` a user's name, `H` a
machine's name, `P` a password, ¤ a card number. What must vanish stands between « and ».
"""

# Anything may stand around these.
TOKENS = """
errdex: edx_{W33}
hugging-face: hf_{W34}
hugging-face-organisation: api_org_{W34}
openai: sk-{W20}T3BlbkFJ{W20}
openai-project: sk-proj-{D74}T3BlbkFJ{D74}
openai-service: sk-svcacct-{D58}T3BlbkFJ{D58}
openai-admin: sk-admin-{D58}T3BlbkFJ{D58}
anthropic: sk-ant-api03-{D93}AA
anthropic-admin: sk-ant-admin01-{D93}AA
openrouter: sk-or-v1-{X64}
deepseek: sk-{X32}
moonshot: sk-{W48}
dashscope: sk-{L32}
stability: sk-{W48}
langfuse: sk-lf-{X8}-{X4}-{X4}-{X4}-{X12}
langfuse-public: pk-lf-{X8}-{X4}-{X4}-{X4}-{X12}
groq: gsk_{W52}
replicate: r8_{W37}
nvidia: nvapi-{D64}
perplexity: pplx-{W48}
xai: xai-{W80}
cerebras: csk-{L48}
fireworks: fw_{W24}
together: tgp_v1_{D43}
jina: jina_{W60}
tavily: tvly-{W32}
firecrawl: fc-{X32}
e2b: e2b_{X40}
pinecone: pcsk_{W5}_{W60}
langsmith: lsv2_pt_{X32}_{X10}
langsmith-service: lsv2_sk_{X32}_{X10}
runpod: rpa_{C44}
kaggle: KGAT_{X32}
wandb: wandb_v1_{W43}
databricks: dapi{X32}
bedrock: ABSK{B120}
voyage: pa-{D43}
elevenlabs: sk_{X48}
github: ghp_{W36}
github-oauth: gho_{W36}
github-user: ghu_{W36}
github-server: ghs_{W36}
github-refresh: ghr_{W76}
github-fine-grained: github_pat_{W22}_{W59}
gitlab: glpat-{D20}
gitlab-routable: glpat-{D27}.01.{L9}
gitlab-deploy: gldt-{D20}
gitlab-runner: glrt-{D20}
gitlab-trigger: glptt-{X40}
gitlab-job: glcbt-{W2}_{D20}
gitlab-feed: glft-{D20}
gitlab-scim: glsoat-{D20}
gitlab-agent: glagent-{D50}
gitlab-runner-old: GR1348941{D20}
slack-bot: xoxb-{N12}-{N12}-{W24}
slack-user: xoxp-{N12}-{N12}-{N12}-{X32}
slack-app: xapp-1-A{C10}-{N13}-{X64}
slack-config: xoxe.xoxp-1-{W160}
slack-legacy: xoxs-{N11}-{N11}-{N11}-{X10}
slack-webhook: https://hooks.slack.com/services/«T{C9}/B{C9}/{W24}»
aws-access-key: AKIA{C16}
aws-temporary-key: ASIA{C16}
google-api: AIza{D35}
google-oauth: ya29.{D60}
google-client-secret: GOCSPX-{D28}
google-refresh: 1//0{D60}
alibaba: LTAI5t{W18}
tencent: AKID{W32}
digitalocean: dop_v1_{X64}
digitalocean-oauth: doo_v1_{X64}
digitalocean-refresh: dor_v1_{X64}
heroku: HRKU-{D60}
fly: fm2_{B120}
fly-old: fo1_{D43}
netlify: nfp_{W36}
render: rnd_{W28}
supabase: sbp_{X40}
scaleway: SCW{C17}
yandex-api: AQVN{D36}
yandex-oauth: y0_{D55}
tailscale: tskey-auth-{W12}CNTRL-{W32}
planetscale: pscale_tkn_{D43}
planetscale-password: pscale_pw_{D43}
azure-client-secret: {W3}8Q~{W34}
npm: npm_{W36}
pypi: pypi-AgEIcHlwaS5vcmc{D80}
rubygems: rubygems_{X48}
docker: dckr_pat_{D27}
docker-organisation: dckr_oat_{D32}
crates: cio{W32}
nuget: oy2{L43}
artifactory: AKCp{W69}
bitbucket: ATBB{W32}
atlassian: ATATT3{D180}
bitbucket-repository: ATCTT3{D180}
circleci: CCIPAT_{W22}_{X40}
buildkite: bkua_{X40}
sourcegraph: sgp_{X16}_{X40}
sonarqube: squ_{X40}
sonarqube-project: sqp_{X40}
postman: PMAK-{X24}-{X34}
clojars: CLOJARS_{L60}
prefect: pnu_{W36}
pulumi: pul-{X40}
infracost: ico-{W32}
vault: hvs.{D90}
vault-batch: hvb.{D140}
doppler: dp.pt.{W43}
doppler-service: dp.st.prd.{W43}
age: AGE-SECRET-KEY-1{C58}
onepassword: ops_eyJ{B250}
terraform: {W14}.atlasv1.{D65}
stripe: sk_live_{W24}
stripe-test: sk_test_{W24}
stripe-restricted: rk_live_{W24}
stripe-webhook: whsec_{W32}
square: sq0atp-{D22}
square-secret: sq0csp-{D43}
shopify: shpat_{X32}
shopify-custom: shpca_{X32}
shopify-private: shppa_{X32}
shopify-secret: shpss_{X32}
shippo: shippo_live_{X40}
duffel: duffel_live_{D43}
flutterwave: FLWSECK-{X32}-X
easypost: EZAK{W54}
braintree: access_token$production${L16}${X32}
plaid: access-production-{X8}-{X4}-{X4}-{X4}-{X12}
sendgrid: SG.{D22}.{D43}
brevo: xkeysib-{X64}-{W16}
resend: re_{W8}_{W24}
mailgun: key-{X32}
mailchimp: {X32}-us12
notion: ntn_{N11}{W35}
notion-old: secret_{W43}
linear: lin_api_{W40}
figma: figd_{D40}
typeform: tfp_{D59}
contentful: CFPAT-{D43}
dropbox: sl.{D130}
airtable: pat{W14}.{X64}
readme: rdme_{L70}
frame-io: fio-u-{D64}
discord: M{W23}.{W6}.{D38}
discord-webhook: https://discord.com/api/webhooks/«{N18}/{D68}»
telegram: {N10}:AA{D33}
feishu-webhook: https://open.feishu.cn/open-apis/bot/v2/hook/«{X8}-{X4}-{X4}-{X4}-{X12}»
twilio: SK{X32}
new-relic: NRAK-{C27}
new-relic-insights: NRII-{D32}
new-relic-browser: NRJS-{X19}
sentry: sntryu_{X64}
grafana-cloud: glc_{B90}=
grafana: glsa_{W32}_{X8}
dynatrace: dt0c01.{C24}.{C64}
honeycomb: hcaik_{L58}
axiom: xaat-{X8}-{X4}-{X4}-{X4}-{X12}
posthog: phx_{W43}
launchdarkly: sdk-{X8}-{X4}-{X4}-{X4}-{X12}
adafruit: aio_{W28}
ubidots: BBFF-{W30}
defined: dnkey-{D26}-{D52}
zuplo: zpka_{X32}_{X8}
json-web-token: eyJhbGciOiJIUzI1NiJ9.eyJ{D80}.{D43}
neptune: eyJhcGlfYWRkcmVzcyI6{B150}==
email: {U}@{L8}.com
email-academic: {U}.{U}@cs.{L6}.edu.cn
ipv4-private: 10.{O}.{O}.{O}
ipv4-private-large: 192.168.{O}.{O}
ipv4-public: 203.{O}.{O}.{O}
ipv6: 2001:db8:{X4}:{X4}:{X4}:{X4}:{X4}:{X4}
ipv6-short: fd00:{X4}::{X4}
ipv6-link: fe80::{X4}:{X4}:{X4}:{X4}
mac: a4:{X2}:{X2}:{X2}:{X2}:{X2}
"""

# Their name stands before them.
NAMED = """
OPENAI_API_KEY: {W40}
AZURE_OPENAI_API_KEY: {X32}
AZURE_OPENAI_KEY: {X32}
ANTHROPIC_API_KEY: {W40}
COHERE_API_KEY: {W40}
MISTRAL_API_KEY: {W32}
TOGETHER_API_KEY: {X64}
WANDB_API_KEY: {X40}
COMET_API_KEY: {W25}
SWANLAB_API_KEY: {W21}
CLEARML_API_SECRET_KEY: {W50}
CLEARML_API_ACCESS_KEY: {C30}
NEPTUNE_API_TOKEN: {B150}
AWS_SECRET_ACCESS_KEY: {B40}
AWS_SESSION_TOKEN: {B300}
MINIO_SECRET_KEY: {W40}
OSS_ACCESS_KEY_SECRET: {W30}
ALIBABA_CLOUD_ACCESS_KEY_SECRET: {W30}
TENCENTCLOUD_SECRET_KEY: {W32}
HUAWEICLOUD_SDK_SK_SECRET_KEY: {W40}
VOLC_SECRETKEY: {B60}
AZURE_CLIENT_SECRET: {W40}
AZURE_STORAGE_KEY: {B86}==
AZURE_SAS_TOKEN: {D90}
GOOGLE_API_KEY: {W39}
HF_TOKEN: {W37}
HUGGING_FACE_HUB_TOKEN: {W37}
HUGGINGFACEHUB_API_TOKEN: {W37}
MODELSCOPE_API_TOKEN: {X36}
GITHUB_TOKEN: {X40}
GITLAB_TOKEN: {W20}
CI_JOB_TOKEN: {W20}
KAGGLE_KEY: {X32}
REPLICATE_API_TOKEN: {X40}
DATABRICKS_TOKEN: {W36}
MLFLOW_TRACKING_PASSWORD: {P16}
MLFLOW_TRACKING_TOKEN: {W40}
JUPYTER_TOKEN: {X48}
LABEL_STUDIO_API_KEY: {X40}
PAPERSPACE_API_KEY: {X30}
LAMBDA_API_KEY: {W50}
VAST_API_KEY: {X64}
CODECOV_TOKEN: {X8}-{X4}-{X4}-{X4}-{X12}
SNYK_TOKEN: {X8}-{X4}-{X4}-{X4}-{X12}
SONAR_TOKEN: {X40}
DATADOG_API_KEY: {X32}
DD_APP_KEY: {X40}
POSTGRES_PASSWORD: {P14}
PGPASSWORD: {P14}
MYSQL_ROOT_PASSWORD: {P14}
MYSQL_PWD: {P14}
REDIS_PASSWORD: {P20}
SMTP_PASS: {P16}
DB_PASSWORD: {P12}
DJANGO_SECRET_KEY: {W50}
FLASK_SECRET_KEY: {X48}
JWT_SECRET: {W40}
SECRET_KEY: {W40}
ENCRYPTION_KEY: {B43}=
SIGNING_SECRET: {X32}
CLIENT_SECRET: {W40}
WEBHOOK_SECRET: {X40}
PRIVATE_KEY_ID: {X40}
VAULT_TOKEN: {W26}
CONSUL_HTTP_TOKEN: {X8}-{X4}-{X4}-{X4}-{X12}
NGROK_AUTHTOKEN: {W49}
TELEGRAM_BOT_TOKEN: {W45}
DISCORD_BOT_TOKEN: {W59}
SLACK_TOKEN: {W40}
TWILIO_AUTH_TOKEN: {X32}
"""

# Whole lines.
FRAGMENTS = """
postgres-address: postgresql+psycopg://app:«{P14}»@db.{L6}.example:5432/runs
redis-address: redis://:«{P16}»@cache:6379/0
mongodb-address: mongodb+srv://svc:«{P16}»@cluster0.{L5}.mongodb.net/db
https-address: https://ci:«{P16}»@git.example.org/team/repo.git
token-in-address: fatal: Authentication failed for 'https://«{W40}»@git.example.org/team/model.git/'
sentry-address: SENTRY_DSN=https://«{X32}»@o{N6}.ingest.sentry.io/{N7}
s3-signed: https://bucket.s3.amazonaws.com/model.pt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=«{X64}»
s3-signed-credential: https://bucket.s3.amazonaws.com/a?X-Amz-Credential=«AKIA{C16}»%2F20261101%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Expires=3600
gcs-signed: https://storage.googleapis.com/b/model.bin?X-Goog-Expires=900&X-Goog-Signature=«{X256}»
azure-sas: https://acct.blob.core.windows.net/c/model.bin?sv=2024-11-04&se=2026-12-01&sig=«{W43}%3D»
oss-signed: https://b.oss-cn-hangzhou.aliyuncs.com/m.bin?Expires=1700000000&Signature=«{W27}%3D»
cloudfront-signed: https://d111.cloudfront.net/lfs/x?Expires=1700000000&Key-Pair-Id=«K{C13}»
query-token: GET /api/datasets?name=alpaca&access_token=«{W40}» HTTP/1.1
query-key: requests.exceptions.HTTPError: 403 Client Error for url: https://api.example.com/v1/x?key=«{W39}»
dingtalk-webhook: https://oapi.dingtalk.com/robot/send?access_token=«{X64}»
wecom-webhook: https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=«{X8}-{X4}-{X4}-{X4}-{X12}»
jupyter-address: http://localhost:8888/lab?token=«{X48}»
bearer-header: Authorization: Bearer «{W40}»
basic-header: Authorization: Basic «{W23}4=»
token-header: authorization: token «{X40}»
header-in-a-mapping: headers={'Authorization': 'Bearer «{W40}»', 'Accept': '*/*'}
digest-header: Proxy-Authorization: Basic «{W24}1==»
aws-header: Authorization: AWS4-HMAC-SHA256 «Credential=AKIA{C16}/20261101/eu/s3/aws4_request, SignedHeaders=h, Signature={X64}»
api-key-header: X-Api-Key: «{W40}»
google-key-header: x-goog-api-key: «{W39}»
gitlab-header: PRIVATE-TOKEN: «{W20}»
azure-header: Ocp-Apim-Subscription-Key: «{X32}»
cookie-header: Cookie: sessionid=«{L32}»; csrftoken=«{W64}»
set-cookie-header: Set-Cookie: _xsrf=«{W40}»; Path=/
curl-user: curl -s -u admin:«{P16}» https://nexus.example.org/repository/models/
curl-header: curl -H "Authorization: Bearer «{W40}»" https://api.example.org/v1/models
sshpass: sshpass -p «{P12}» rsync -a ckpt/ backup:/ckpt/
netrc: machine api.wandb.ai login user password «{X40}»
requests-auth: requests.get(url, auth=('«{U}x7»', '«{P12}»'), timeout=30)
docker-config: "https://index.docker.io/v1/": {"auth": "«{W40}»"}
kubeconfig: client-key-data: «LS0tLS1CRUdJTi{B200}»
npmrc: //registry.npmjs.org/:_authToken=«{W36}»
npmrc-auth: _auth=«{W24}==»
pip-conf: index-url = https://__token__:«{W60}»@pypi.example.org/simple
azure-connection: DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=«{B86}==»;EndpointSuffix=core.windows.net
service-bus: Endpoint=sb://ns.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=«{B43}=»
sql-server: Server=tcp:db,1433;User ID=sa;Password=«{P16}»;Encrypt=True;
gcp-account: "private_key_id": "«{X40}»",
gcp-account-key: "private_key": "-----BEGIN PRIVATE KEY-----\\n«{B64}»\\n«{B64}»\\n-----END PRIVATE KEY-----\\n",
rsa-key: -----BEGIN RSA PRIVATE KEY-----⏎«{B64}»⏎«{B64}»⏎-----END RSA PRIVATE KEY-----
openssh-key: -----BEGIN OPENSSH PRIVATE KEY-----⏎«{B70}»⏎«{B70}»⏎-----END OPENSSH PRIVATE KEY-----
torn-key: -----BEGIN EC PRIVATE KEY-----⏎«{B64}»⏎«{B64}»
pgp-key: -----BEGIN PGP PRIVATE KEY BLOCK-----⏎⏎«{B64}»⏎«{B64}»⏎-----END PGP PRIVATE KEY BLOCK-----
ssh-public-key: ssh-rsa «AAAAB3NzaC1yc2EAAAADAQABAAABgQ{B340}» «{U}@{H}»
ssh-ed25519: ssh-ed25519 «AAAAC3NzaC1lZDI1NTE5AAAAI{B43}»
argparse: Namespace(lr=0.0001, hub_token='«{W37}»', epochs=3)
dataclass: TrainingArguments(push_to_hub=True, hub_token=«{W37}», seed=42)
escaped-json: {\\"api_key\\": \\"«{W40}»\\", \\"n\\": 1}
bytes: conn.login(password=b'«{P12}»')
coloured: \x1b[32m«hf_{W34}»\x1b[0m is not valid
chinese-password: 登录失败，密码：«{P14}»，请重试
chinese-password-traditional: 登入失敗，密碼：«{P14}»，請重試
chinese-key: 我的密钥是 «{W32}»，为什么还是 401？
option-password: mlflow server --admin-password «{P14}» --port 5000
option-token: huggingface-cli login --token «{W37}»
option-key: python train.py --wandb-api-key «{X40}» --epochs 3
home-linux: File "/home/«{U}»/train.py", line 3, in <module>
home-mac: File "/Users/«{U}»/code/train.py", line 3, in <module>
home-windows: File "C:\\Users\\«{U}»\\train.py", line 3, in <module>
home-windows-spaced: FileNotFoundError: C:\\Users\\«{U} Smith»\\model.pt
home-escaped: OSError: [Errno 22] Invalid argument: 'D:\\\\Users\\\\«{U}»\\\\cache'
home-mounted: OSError: [Errno 122] Disk quota exceeded: '/data/home/«{U}»/ckpt'
home-users: PermissionError: [Errno 13] Permission denied: '/gpfs/users/«{U}»/data'
home-chinese: 报错文件在 /home/«{U}»，请看
prompt: «{U}@{H}»:~/proj$ python train.py
prompt-conda: (base) «{U}@{H}»:/data$ torchrun train.py
prompt-bracket: [«{U}@{H}» proj]$ python train.py
ssh-command: ssh «{U}@{H}» nvidia-smi
environment-user: USER=«{U}»
environment-logname: 'LOGNAME': '«{U}»'
environment-host: HOSTNAME=«{H}»
wandb-user: wandb: Currently logged in as: «{U}» («{L6}team»). Use `wandb login --relogin` to force relogin
wandb-address: wandb: View run at https://wandb.ai/«{U}»/proj/runs/{L8}
torchrun-host:   host      : «{H}»
host-on: RuntimeError: Worker 3 failed on host «{H}» with exit code 1
host-nccl: «{H}»:12345:12400 [0] NCCL INFO Bootstrap : Using eth0
host-uname: Linux «{H}» 5.15.0-91-generic #101-Ubuntu SMP x86_64
host-internal: urllib3.exceptions.MaxRetryError: HTTPConnectionPool(host='«{H}.{L5}.internal»', port=80)
host-corp: ConnectionError: https://«{L7}.corp»/v2/models/ timed out
host-local: tcp://«{H}.cluster.local»:29500
host-aws: ip-10-{O}-{O}-{O}.ec2.internal: no answer
host-aws-short: gloo: connect to «ip-172-31-{O}-{O}» refused
host-aws-public: ssh: connect to host «ec2-54-{O}-{O}-{O}.compute-1.amazonaws.com» port 22: Connection timed out
slurm: SLURM_JOB_NODELIST=«{L4}[001-004]»
master: MASTER_ADDR=«{H}»
worker-address: (RayTrainWorker pid=4242, ip=«10.{O}.{O}.{O}») ValueError: bad
mapped-address: [W socket.cpp:601] [c10d] The client socket has failed to connect to [::ffff:«10.{O}.{O}.{O}»]:29500
card: payment «¤» was refused
"""
