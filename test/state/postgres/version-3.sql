-- A database with version 3 of the schema and some records (pg_dump --inserts).
CREATE SCHEMA cofferdam;
CREATE TABLE cofferdam.content_chunks (
    id bigint NOT NULL,
    n integer NOT NULL,
    deflated boolean NOT NULL,
    data bytea NOT NULL
);
ALTER TABLE ONLY cofferdam.content_chunks ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE SEQUENCE cofferdam.content_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE cofferdam.contents (
    hash bytea NOT NULL,
    id bigint NOT NULL,
    size bigint NOT NULL,
    stored bigint NOT NULL,
    touched timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    retired timestamp with time zone,
    erasing boolean DEFAULT false NOT NULL
);
CREATE TABLE cofferdam.locks (
    key bytea NOT NULL,
    part text,
    hash bytea,
    replaced text[] DEFAULT '{}'::text[] NOT NULL,
    at timestamp with time zone
)
WITH (fillfactor='50');
CREATE TABLE cofferdam.logs (
    log text NOT NULL,
    generation bigint DEFAULT 0 NOT NULL,
    last bigint DEFAULT 0 NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='10');
CREATE TABLE cofferdam.notes (
    name text NOT NULL,
    text text NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE cofferdam.planned_changes (
    key bytea NOT NULL,
    part text NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE cofferdam.records (
    log text NOT NULL,
    seq bigint NOT NULL,
    writer uuid NOT NULL,
    n bigint NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    body text NOT NULL
);
CREATE TABLE cofferdam.schema_version (
    version integer NOT NULL,
    readable_from integer NOT NULL,
    writable_from integer NOT NULL
);
CREATE TABLE cofferdam.secrets (
    n integer NOT NULL,
    key bytea NOT NULL,
    made timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE cofferdam.session_messages (
    n bigint NOT NULL,
    session text NOT NULL,
    sender uuid NOT NULL,
    body text NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
ALTER TABLE cofferdam.session_messages ALTER COLUMN n ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME cofferdam.session_messages_n_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE cofferdam.sessions (
    id text NOT NULL,
    owner text NOT NULL,
    opening text NOT NULL,
    facts text NOT NULL,
    revision bigint DEFAULT 0 NOT NULL,
    idle_ms bigint NOT NULL,
    used timestamp with time zone DEFAULT clock_timestamp() NOT NULL
)
WITH (fillfactor='80');
CREATE TABLE cofferdam.uploads (
    id bigint NOT NULL,
    started timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE cofferdam.usage (
    slot integer NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='10');
CREATE TABLE cofferdam.workspaces (
    name text NOT NULL,
    identity text NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
INSERT INTO cofferdam.content_chunks VALUES (1, 0, false, '\x6b6570740a');
INSERT INTO cofferdam.contents VALUES ('\x78051faade059d70866df6a3fb83ef348721fd74a87e93ef95c493f87d0d236b', 1, 5, 5, '2026-11-17 10:04:57.835969+00', NULL, false);
INSERT INTO cofferdam.locks VALUES ('\x8574fc66ab9ccbfdc6c930b7c45df0beb68d22cdb5de4590afe8b2d47f3e0d70', NULL, NULL, '{}', NULL);
INSERT INTO cofferdam.logs VALUES ('journal', 0, 2, 31);
INSERT INTO cofferdam.logs VALUES ('trace', 0, 3, 93);
INSERT INTO cofferdam.records VALUES ('journal', 1, '2654876e-b964-4585-82f5-6564b3760025', 1, '2026-11-17 10:04:57.821601+00', '{"n":1,"text":"journal"}');
INSERT INTO cofferdam.records VALUES ('journal', 2, '2654876e-b964-4585-82f5-6564b3760025', 2, '2026-11-17 10:04:57.821815+00', '{"n":2}');
INSERT INTO cofferdam.records VALUES ('trace', 1, '181f7d92-9b4f-4997-b559-3492f3fc5899', 1, '2026-01-05 23:59:00+00', '{"n":1,"text":"trace of day 1"}');
INSERT INTO cofferdam.records VALUES ('trace', 2, '181f7d92-9b4f-4997-b559-3492f3fc5899', 2, '2026-01-06 23:59:00+00', '{"n":2,"text":"trace of day 2"}');
INSERT INTO cofferdam.records VALUES ('trace', 3, '181f7d92-9b4f-4997-b559-3492f3fc5899', 3, '2026-01-07 23:59:00+00', '{"n":3,"text":"trace of day 3"}');
INSERT INTO cofferdam.schema_version VALUES (3, 1, 1);
INSERT INTO cofferdam.usage VALUES (0, 0);
INSERT INTO cofferdam.usage VALUES (1, 0);
INSERT INTO cofferdam.usage VALUES (2, 0);
INSERT INTO cofferdam.usage VALUES (3, 0);
INSERT INTO cofferdam.usage VALUES (4, 0);
INSERT INTO cofferdam.usage VALUES (5, 0);
INSERT INTO cofferdam.usage VALUES (6, 0);
INSERT INTO cofferdam.usage VALUES (7, 0);
INSERT INTO cofferdam.usage VALUES (8, 0);
INSERT INTO cofferdam.usage VALUES (9, 0);
INSERT INTO cofferdam.usage VALUES (10, 0);
INSERT INTO cofferdam.usage VALUES (12, 0);
INSERT INTO cofferdam.usage VALUES (13, 0);
INSERT INTO cofferdam.usage VALUES (14, 0);
INSERT INTO cofferdam.usage VALUES (15, 0);
INSERT INTO cofferdam.usage VALUES (11, 5);
SELECT pg_catalog.setval('cofferdam.content_ids', 1, true);
SELECT pg_catalog.setval('cofferdam.session_messages_n_seq', 1, false);
ALTER TABLE ONLY cofferdam.content_chunks
    ADD CONSTRAINT content_chunks_pkey PRIMARY KEY (id, n);
ALTER TABLE ONLY cofferdam.contents
    ADD CONSTRAINT contents_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY cofferdam.locks
    ADD CONSTRAINT locks_pkey PRIMARY KEY (key);
ALTER TABLE ONLY cofferdam.logs
    ADD CONSTRAINT logs_pkey PRIMARY KEY (log);
ALTER TABLE ONLY cofferdam.notes
    ADD CONSTRAINT notes_pkey PRIMARY KEY (name);
ALTER TABLE ONLY cofferdam.planned_changes
    ADD CONSTRAINT planned_changes_pkey PRIMARY KEY (key, part);
ALTER TABLE ONLY cofferdam.records
    ADD CONSTRAINT records_pkey PRIMARY KEY (log, seq);
ALTER TABLE ONLY cofferdam.records
    ADD CONSTRAINT records_writer_n_key UNIQUE (writer, n);
ALTER TABLE ONLY cofferdam.secrets
    ADD CONSTRAINT secrets_pkey PRIMARY KEY (n);
ALTER TABLE ONLY cofferdam.session_messages
    ADD CONSTRAINT session_messages_pkey PRIMARY KEY (n);
ALTER TABLE ONLY cofferdam.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY cofferdam.uploads
    ADD CONSTRAINT uploads_pkey PRIMARY KEY (id);
ALTER TABLE ONLY cofferdam.usage
    ADD CONSTRAINT usage_pkey PRIMARY KEY (slot);
ALTER TABLE ONLY cofferdam.workspaces
    ADD CONSTRAINT workspaces_identity_key UNIQUE (identity);
ALTER TABLE ONLY cofferdam.workspaces
    ADD CONSTRAINT workspaces_pkey PRIMARY KEY (name);
CREATE INDEX planned_changes_part ON cofferdam.planned_changes USING btree (part);
