-- Why: somebody who has an account is asked before they are in a product; nobody is added by name any longer.
set local check_function_bodies = off;

ALTER TABLE "public"."inbox_marks" DROP CONSTRAINT "inbox_marks_kind";

DROP FUNCTION "operations"."add_product_member"(uuid, text);

ALTER TABLE "public"."product_invitations" ADD COLUMN "invited_user_id" uuid;

ALTER TABLE "public"."product_invitations" ALTER COLUMN "code_hash" DROP NOT NULL;

CREATE OR REPLACE FUNCTION operations.answer_invitation(p_invitation_id uuid, p_accept boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid;
  v_invitation public.product_invitations;
begin
  perform private.require_no_demo();
  perform private.take_rate_limit('join', auth.uid()::text);
  select i.product_id into v_product_id from public.product_invitations i
  where i.id = p_invitation_id and i.invited_user_id = auth.uid();
  if v_product_id is not null then
    perform private.lock_product(v_product_id);
    if p_accept then
      perform private.require_product_write(v_product_id, true);
    end if;
    delete from public.product_invitations i
    where i.id = p_invitation_id and i.invited_user_id = auth.uid() and i.expires_at > private.now()
    returning i.* into v_invitation;
  end if;
  if v_invitation.id is null then
    perform private.refuse(404, 'This invitation was revoked, or it has expired. Ask for a new one.');
  end if;
  if p_accept then
    insert into public.product_members (product_id, user_id, role) values (v_product_id, auth.uid(), v_invitation.role)
    on conflict (product_id, user_id) do nothing;
  end if;
  perform private.audit(auth.uid(), auth.uid(), case when p_accept then 'invitation.accepted' else 'invitation.declined' end,
    jsonb_build_object('product_id', v_product_id, 'invitation_id', v_invitation.id, 'role', v_invitation.role, 'invited_by', v_invitation.created_by));
  perform private.tell_invited(auth.uid(), v_invitation.id);
  return json_build_object('product_id', v_product_id, 'accepted', p_accept);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_invitation(p_product_id uuid, p_role text, p_code_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_role public.member_role;
  v_invitation public.product_invitations;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  v_role := private.require_choice('role', coalesce(p_role, ''), array['MEMBER', 'VIEWER']);
  perform private.take_rate_limit('member', auth.uid()::text);
  if p_code_hash !~ '^[0-9a-f]{64}$' then
    perform private.refuse(422, 'code_hash is the SHA-256 of the code, in hexadecimal.');
  end if;
  delete from public.product_invitations i where i.product_id = p_product_id and i.expires_at <= private.now();
  if (select count(*) from public.product_invitations i where i.product_id = p_product_id and i.code_hash is not null) >= 50 then
    perform private.refuse(409, 'The product has 50 open invitations. Revoke one that nobody needs.');
  end if;
  insert into public.product_invitations (product_id, role, code_hash, created_by)
  values (p_product_id, v_role, decode(p_code_hash, 'hex'), auth.uid())
  returning * into v_invitation;
  perform private.audit(auth.uid(), auth.uid(), 'invitation.created',
    jsonb_build_object('product_id', p_product_id, 'invitation_id', v_invitation.id, 'role', v_role));
  return json_build_object('id', v_invitation.id, 'role', v_role, 'expires_at', v_invitation.expires_at);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.invite_person(p_product_id uuid, p_identifier text, p_role text DEFAULT 'MEMBER'::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_role public.member_role;
  v_user public.users;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  v_role := private.require_choice('role', coalesce(p_role, ''), array['MEMBER', 'VIEWER']);
  perform private.take_rate_limit('member', auth.uid()::text);
  perform private.take_rate_limit('member_lookup', auth.uid()::text);

  select u.*
  into v_user
  from public.users u
  where lower(u.username) = lower(trim(p_identifier)) or lower(u.email) = lower(trim(p_identifier))
  order by lower(u.username) = lower(trim(p_identifier)) desc
  limit 1;

  if v_user.id is null then
    return json_build_object('refused', json_build_object('code', 422,
      'error', 'Nobody here has this user name or e-mail address. Invite them with a link.',
      'issues', json_build_array(json_build_object('path', 'identifier', 'message', 'No account has this user name or e-mail address. Invite them with a link.'))));
  end if;
  perform operations.give_back_limit('member_lookup', auth.uid()::text);

  if exists (select from public.product_members m where m.product_id = p_product_id and m.user_id = v_user.id) then
    perform private.refuse(409, 'This person is already in the product.');
  end if;
  if v_user.is_demo then
    insert into public.product_members (product_id, user_id, role) values (p_product_id, v_user.id, v_role);
    return json_build_object('user_id', v_user.id, 'username', v_user.username, 'role', v_role, 'asked', false);
  end if;
  perform private.keep_personal_invitation(p_product_id, v_user.id, v_role);
  return json_build_object('user_id', v_user.id, 'username', v_user.username, 'role', v_role, 'asked', true);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_invitations(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_owner(p_product_id);
  return json_build_object('invitations', (
    select coalesce(json_agg(json_build_object('id', i.id, 'role', i.role, 'person', private.username(i.invited_user_id), 'invited_by', private.username(i.created_by),
      'created_at', i.created_at, 'expires_at', i.expires_at) order by i.created_at desc, i.id), '[]')
    from public.product_invitations i
    where i.product_id = p_product_id and i.expires_at > private.now()));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_own_invitations()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return json_build_object('invitations', (
    select coalesce(json_agg(json_build_object('id', i.id, 'product_name', p.name, 'role', i.role,
      'invited_by', private.username(i.created_by), 'created_at', i.created_at, 'expires_at', i.expires_at) order by i.created_at desc, i.id), '[]')
    from public.product_invitations i
    join public.products p on p.id = i.product_id and p.archived_at is null
    where i.invited_user_id = auth.uid() and i.expires_at > private.now()));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.revoke_invitation(p_invitation_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_invitation public.product_invitations;
begin
  select i.* into v_invitation from public.product_invitations i where i.id = p_invitation_id;
  if not found then
    perform private.refuse(404, 'No such invitation. It was used or revoked, or it has expired.');
  end if;
  perform private.require_write('product', v_invitation.product_id);
  perform private.require_product_owner(v_invitation.product_id);
  delete from public.product_invitations i where i.id = p_invitation_id;
  perform private.audit(auth.uid(), auth.uid(), 'invitation.revoked',
    jsonb_build_object('product_id', v_invitation.product_id, 'invitation_id', p_invitation_id));
  if v_invitation.invited_user_id is not null then
    perform private.tell_invited(v_invitation.invited_user_id, p_invitation_id);
  end if;
  return json_build_object('id', p_invitation_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.inbox_item_json(p_kind text, p_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case p_kind
    when 'question' then (
      select jsonb_build_object('question', private.question_json(q)) from public.agent_questions q where q.id = p_id
        and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q)))
    when 'review' then (
      select jsonb_build_object('code', t.code, 'title', t.title, 'story_code', s.code, 'story_title', s.title,
        -- The job that waits for a person's verdict; without one the task was put into review by hand.
        'job_id', (
          select j.id from public.agent_jobs j
          where j.task_id = t.id and j.status = 'QUEUED' and j.phase = 'review'
          limit 1))
      from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_id)
    when 'run' then (
      select jsonb_build_object('code', coalesce(s.code, private.run_subject(r)), 'title', coalesce(s.sprint_goal, ''), 'sprint_id', s.id,
        'failed', x.failed, 'waiting', x.waiting, 'reason', r.failure ->> 'reason', 'task_id', r.failure ->> 'task_id', 'task_code', r.failure ->> 'task_code')
      from public.sprint_runs r
      left join public.sprints s on s.id = r.sprint_id
      cross join lateral (
        select count(*) filter (where p.status = 'FAILED') as failed, count(*) filter (where p.status in ('QUEUED', 'CANCELLED', 'PENDING')) as waiting
        from (
          select j.status::text from public.agent_jobs j where j.sprint_run_id = r.id and j.kind = 'TASK_IMPLEMENTATION'
          union all
          select e.status::text from public.task_executions e where e.sprint_run_id = r.id
        ) p
      ) x
      where r.id = p_id)
    when 'job' then (
      select jsonb_build_object('code', i.code, 'title', i.title, 'reason', j.failure_reason, 'idea_id', j.idea_id)
      from public.agent_jobs j join public.ideas i on i.id = j.idea_id where j.id = p_id)
    when 'added' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'owner_name', private.username(p.owner_id))
      from public.products p where p.id = p_id)
    when 'triage' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'waiting', x.waiting, 'newest', x.newest)
      from public.products p
      cross join lateral (
        select count(*) as waiting, (array_agg(s.title order by s.created_at desc, s.id))[1] as newest
        from public.stories s where s.product_id = p.id and s.in_triage) x
      where p.id = p_id)
    when 'invitation' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'invited_by', private.username(i.created_by), 'role', i.role)
      from public.product_invitations i join public.products p on p.id = i.product_id where i.id = p_id)
    when 'mention' then (
      select jsonb_build_object('code', x.code, 'title', x.title, 'author', c.author, 'excerpt', left(c.body, 500),
        'path', private.comment_path(c))
      from public.comments c
      cross join lateral (
        select t.code, t.title from public.tasks t where t.id = c.task_id
        union all
        select s.code, s.title from public.stories s where s.id = c.story_id
        union all
        select b.code, b.title from public.pbis b where b.id = c.pbi_id) x
      where c.id = p_id)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.inbox_items()
 RETURNS TABLE(kind text, id uuid, product_id uuid, at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_since timestamptz := v_now - interval '14 days';
  v_products uuid[] := array(select private.writable_product_ids());
begin
  return query
    select 'question', q.id, q.product_id, q.created_at
    from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at > v_now and q.product_id = any (v_products)
      and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q))
    union all
    select 'review', w.task_id, w.product_id, w.since
    from public.tasks_in_review w
    where w.product_id = any (v_products)
    union all
    select 'run', r.id, r.product_id, r.finished_at
    from public.sprint_runs r
    where r.status = 'FAILED' and r.product_id = any (v_products) and r.finished_at > v_since
      and not exists (select from public.sprint_runs n where n.sprint_id = r.sprint_id and n.created_at > r.created_at)
      -- A run of its own is tried again by whatever run takes up the task that failed.
      and not (r.sprint_id is null and exists (
        select from public.sprint_runs n
        where n.id in (
            select j.sprint_run_id from public.agent_jobs j where j.task_id = (r.failure ->> 'task_id')::uuid
            union all
            select e.sprint_run_id from public.task_executions e where e.task_id = (r.failure ->> 'task_id')::uuid)
          and n.created_at > r.created_at))
    union all
    -- A job of a task is told by its run; a talk about an idea is its owner's alone.
    select 'job', j.id, j.product_id, j.finished_at
    from public.agent_jobs j
    where j.status = 'FAILED' and j.finished_at > v_since and j.product_id = any (v_products) and j.idea_id is not null
      and j.created_by = auth.uid()
      and not exists (select from public.agent_jobs n where n.idea_id = j.idea_id and n.created_at > j.created_at)
    union all
    select 'added', m.product_id, m.product_id, m.created_at
    from public.product_members m
    where m.user_id = auth.uid() and m.role = 'MEMBER' and m.workers_decided_at is null and m.product_id = any (v_products)
    union all
    -- One for all that waits in a product; what comes later makes it new.
    select 'triage', s.product_id, s.product_id, max(s.created_at)
    from public.stories s
    where s.in_triage and s.product_id = any (v_products)
    group by s.product_id
    union all
    -- Of products that are not yet in reach.
    select 'invitation', i.id, i.product_id, i.created_at
    from public.product_invitations i
    join public.products p on p.id = i.product_id and p.archived_at is null
    where i.invited_user_id = auth.uid() and i.expires_at > v_now
      and not exists (select from public.product_members m where m.product_id = i.product_id and m.user_id = auth.uid())
    union all
    -- Whoever has written something there since has seen it.
    select 'mention', c.id, c.product_id, m.created_at
    from public.comment_mentions m
    join public.comments c on c.id = m.comment_id
    where m.user_id = auth.uid() and m.created_at > v_since and c.product_id in (select private.open_product_ids())
      and not exists (
        select from public.comments n
        where n.author_id = auth.uid() and n.created_at > m.created_at
          and (n.pbi_id = c.pbi_id or n.story_id = c.story_id or n.task_id = c.task_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.keep_personal_invitation(p_product_id uuid, p_user_id uuid, p_role public.member_role)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid;
begin
  delete from public.product_invitations i where i.product_id = p_product_id and i.expires_at <= private.now();
  insert into public.product_invitations (product_id, role, invited_user_id, created_by)
  values (p_product_id, p_role, p_user_id, auth.uid())
  on conflict (product_id, invited_user_id) do nothing
  returning id into v_id;
  if v_id is null then
    perform private.refuse(409, 'This person is invited already. The invitation waits in their inbox.');
  end if;
  perform private.audit(p_user_id, auth.uid(), 'invitation.asked',
    jsonb_build_object('product_id', p_product_id, 'invitation_id', v_id, 'role', p_role));
  perform private.tell_invited(p_user_id, v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.tell_invited(p_user_id uuid, p_invitation_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.emit('user:' || p_user_id,
    jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_invitation_id, 'product_id', null));
end;
$function$;

ALTER TABLE "public"."inbox_marks" ADD CONSTRAINT "inbox_marks_kind" CHECK ((item_kind = ANY (ARRAY['question'::text, 'review'::text, 'run'::text, 'job'::text, 'added'::text, 'mention'::text, 'triage'::text, 'invitation'::text])));

ALTER TABLE "public"."product_invitations" ADD CONSTRAINT "product_invitations_invited_user_id_fkey" FOREIGN KEY (invited_user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."product_invitations" ADD CONSTRAINT "product_invitations_link_or_person" CHECK ((num_nonnulls(code_hash, invited_user_id) = 1));

ALTER TABLE "public"."product_invitations" ADD CONSTRAINT "product_invitations_once_a_person" UNIQUE (product_id, invited_user_id);

CREATE INDEX product_invitations_invited_user_id_idx ON public.product_invitations USING btree (invited_user_id);

COMMENT ON FUNCTION "operations"."answer_invitation"(uuid, boolean) IS 'Accepts or declines an invitation of the caller.';

COMMENT ON FUNCTION "operations"."invite_person"(uuid, text, text) IS 'Asks somebody who has an account into a product, owner only (specification: Authentication 4).';

COMMENT ON FUNCTION "operations"."list_own_invitations"() IS 'Invitations that wait for the caller.';

COMMENT ON FUNCTION "private"."keep_personal_invitation"(uuid, uuid, public.member_role) IS 'Stores an invitation of one person and tells their inbox.';

COMMENT ON FUNCTION "private"."tell_invited"(uuid, uuid) IS 'Tells the inbox of an invited person to read anew.';

COMMENT ON TABLE "public"."product_invitations" IS 'Open invitations to products, by link or to one person.';

REVOKE ALL ON FUNCTION "operations"."answer_invitation"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."answer_invitation"(uuid, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."invite_person"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."invite_person"(uuid, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."list_own_invitations"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_own_invitations"() TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."keep_personal_invitation"(uuid, uuid, public.member_role) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_personal_invitation"(uuid, uuid, public.member_role) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tell_invited"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tell_invited"(uuid, uuid) TO "postgres";

REVOKE ALL ("invited_user_id") ON TABLE "public"."product_invitations" FROM "authenticated";

GRANT SELECT ("invited_user_id") ON TABLE "public"."product_invitations" TO "authenticated";
