-- Schema `realtime`: private broadcast channels fed from realtime.messages, partitioned by day as on a hosted project.
-- The embedded stack creates and drops the partitions. A folder of 0.1.0 keeps its single table, which works the same.
create schema if not exists realtime;
grant usage on schema realtime to postgres, anon, authenticated, service_role;
grant usage, create on schema realtime to supabase_realtime_admin;

do $$
begin
  if to_regclass('realtime.messages') is not null then
    return;
  end if;
  create table realtime.messages (
    topic text not null,
    extension text not null,
    payload jsonb,
    event text,
    private boolean default false,
    updated_at timestamp without time zone not null default now(),
    inserted_at timestamp without time zone not null default now(),
    id uuid not null default gen_random_uuid(),
    primary key (id, inserted_at)
  ) partition by range (inserted_at);
  create index messages_inserted_at_topic_index on realtime.messages (inserted_at desc, topic)
    where extension = 'broadcast' and private is true;
end
$$;
alter table realtime.messages owner to supabase_realtime_admin;
alter table realtime.messages enable row level security;
grant all on realtime.messages to postgres;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;

-- Daily partitions: created ahead, emptied after five minutes, dropped after three days. On a hosted project Realtime
-- does this.
create or replace function realtime.keep_messages() returns void language plpgsql set search_path = '' as $$
declare
  v_day date;
  v_old regclass;
begin
  if (select c.relkind from pg_class c where c.oid = 'realtime.messages'::regclass) = 'p' then
    for v_day in select d::date from generate_series(current_date - 1, current_date + 3, interval '1 day') d loop
      if to_regclass('realtime.messages_' || to_char(v_day, 'YYYY_MM_DD')) is null then
        execute format('create table realtime.%I partition of realtime.messages for values from (%L) to (%L)',
          'messages_' || to_char(v_day, 'YYYY_MM_DD'), v_day, v_day + 1);
      end if;
    end loop;
    for v_old in
      select i.inhrelid::regclass from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'realtime.messages'::regclass
        and c.relname < 'messages_' || to_char(current_date - 3, 'YYYY_MM_DD')
    loop
      execute format('drop table %s', v_old);
    end loop;
  end if;
  delete from realtime.messages m where m.inserted_at < localtimestamp - interval '5 minutes';
end;
$$;
alter function realtime.keep_messages() owner to supabase_realtime_admin;
revoke execute on function realtime.keep_messages() from public;

-- Refuses what a hosted project refuses, because `postgres` owns nothing in this schema: everything but policies.
create or replace function realtime.refuse_strangers() returns event_trigger language plpgsql set search_path = '' as $$
begin
  if current_user = 'postgres' and exists (
    select from pg_event_trigger_ddl_commands() c
    where (c.schema_name = 'realtime' or c.object_identity ~ ' on realtime[.]|^realtime[.]')
      and c.command_tag not in ('CREATE POLICY', 'ALTER POLICY', 'GRANT', 'REVOKE')
  ) then
    raise insufficient_privilege using message = 'must be owner of schema realtime';
  end if;
end;
$$;
drop event trigger if exists refuse_strangers_in_realtime;
create event trigger refuse_strangers_in_realtime on ddl_command_end execute function realtime.refuse_strangers();

-- The topic a client wants to join. Policies on realtime.messages compare with it.
create or replace function realtime.topic() returns text language sql stable as $$
  select nullif(current_setting('realtime.topic', true), '')::text;
$$;
alter function realtime.topic() owner to supabase_realtime_admin;

-- Adds an `id` to a payload without one. Errors become warnings, so that the writer never fails.
create or replace function realtime.send(payload jsonb, event text, topic text, private boolean default true)
returns void language plpgsql as $$
declare
  generated_id uuid;
  final_payload jsonb;
begin
  begin
    generated_id := gen_random_uuid();
    if payload ? 'id' then
      final_payload := payload;
    else
      final_payload := jsonb_set(payload, '{id}', to_jsonb(generated_id));
    end if;
    perform set_config('realtime.topic', topic, true);
    insert into realtime.messages (id, payload, event, topic, private, extension)
    values (generated_id, final_payload, event, topic, private, 'broadcast');
  exception
    when others then
      raise warning 'ErrorSendingBroadcastMessage: %', sqlerrm;
  end;
end;
$$;

do $$
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime_messages_publication') then
    create publication supabase_realtime_messages_publication for table realtime.messages with (publish = 'insert');
  end if;
end
$$;

-- Create partitions now, because writers may come before the feed starts.
set local role supabase_realtime_admin;
select realtime.keep_messages();
reset role;
