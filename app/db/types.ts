export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];

export type Database = {
  operations: {
    Tables: {
      [_ in never]: never;
    };
    Views: {
      [_ in never]: never;
    };
    Functions: {
      accept_story: { Args: { p_pbi_id?: string; p_story_id: string }; Returns: Json };
      account_identity: { Args: { p_account: string; p_issuer: string }; Returns: Json };
      add_comment: { Args: { p_body: string; p_id: string; p_kind: string; p_send_to_agent?: boolean }; Returns: Json };
      add_dependency: { Args: { p_blocked_by: string; p_id: string; p_kind: string }; Returns: Json };
      add_evidence: { Args: { p_evidence: Json; p_story_id: string }; Returns: Json };
      add_file: {
        Args: {
          p_comment_id?: string;
          p_content: string;
          p_job_id?: string;
          p_name: string;
          p_product_id: string;
          p_story_id?: string;
          p_task_id?: string;
          p_type: string;
        };
        Returns: Json;
      };
      add_job_comment: {
        Args: {
          p_attempt: number;
          p_body: string;
          p_job_id: string;
          p_line: number;
          p_line_text: string;
          p_path: string;
          p_side: string;
        };
        Returns: Json;
      };
      add_story_to_sprint: { Args: { p_sprint_id: string; p_story_id: string }; Returns: Json };
      admin_list_users: { Args: { p_after?: string }; Returns: Json };
      admin_update_user: {
        Args: { p_is_demo?: boolean; p_must_reset_password?: boolean; p_role?: string; p_user_id: string };
        Returns: Json;
      };
      allow_my_workers: { Args: { p_allowed: boolean; p_product_id: string }; Returns: Json };
      announce_password: { Args: { p_user_id: string }; Returns: Json };
      answer_invitation: { Args: { p_accept: boolean; p_invitation_id: string }; Returns: Json };
      answer_question: { Args: { p_answer?: string; p_option?: number; p_question_id: string }; Returns: Json };
      answer_user_question: { Args: { p_answer: string; p_user_question_id: string }; Returns: Json };
      append_job_output: { Args: { p_attempt: number; p_entries: Json; p_job_id: string }; Returns: Json };
      append_story_log: {
        Args: {
          p_commit_hash?: string;
          p_commit_message?: string;
          p_content: string;
          p_metadata?: Json;
          p_status?: string;
          p_story_id: string;
          p_type: string;
        };
        Returns: Json;
      };
      approve_pairing: { Args: { p_mobile_secret_hash: string; p_pairing_id: string }; Returns: Json };
      archive_idea: { Args: { p_idea_id: string }; Returns: Json };
      archive_inbox: { Args: { p_product_id: string; p_undo?: string }; Returns: Json };
      archive_product: { Args: { p_product_id: string }; Returns: Json };
      ask_about_idea: { Args: { p_idea_id: string; p_question: string }; Returns: Json };
      ask_question: {
        Args: {
          p_assignee_id?: string;
          p_attempt?: number;
          p_escalate_to?: string;
          p_expires_in_seconds?: number;
          p_idea_id?: string;
          p_job_id?: string;
          p_kind?: string;
          p_on_expiry?: string;
          p_options?: Json;
          p_park?: boolean;
          p_question: string;
          p_reach?: string;
          p_recommended_option?: number;
          p_story_id?: string;
          p_task_id?: string;
        };
        Returns: Json;
      };
      assign_story: { Args: { p_assignee_id?: string; p_story_id: string }; Returns: Json };
      cancel_agent_job: { Args: { p_job_id: string }; Returns: Json };
      cancel_pairing: { Args: { p_mobile_secret_hash: string; p_pairing_id: string }; Returns: Json };
      cancel_question: { Args: { p_question_id: string }; Returns: Json };
      cancel_sprint: { Args: { p_sprint_id: string }; Returns: Json };
      cancel_sprint_run: { Args: { p_sprint_run_id: string }; Returns: Json };
      carry_preview: { Args: { p_preview_id: string }; Returns: Json };
      change_things: { Args: { p_changes: Json; p_things: Json }; Returns: Json };
      check_queue_empty: { Args: { p_product_id?: string }; Returns: Json };
      claim_agent_job: {
        Args: {
          p_agents?: Json;
          p_also_repos?: Json;
          p_confinement?: string;
          p_hostname?: string;
          p_kinds?: Json;
          p_product_id?: string;
          p_quota_pct?: number;
          p_sprint_run_id?: string;
          p_version?: string;
          p_worker: string;
        };
        Returns: Json;
      };
      claim_identity_checks: { Args: { p_issuer: string; p_limit?: number; p_recheck_hours?: number }; Returns: Json };
      claim_pairing: {
        Args: {
          p_desktop_token_hash: string;
          p_ip?: string;
          p_pairing_id: string;
          p_previous_session_id?: string;
          p_user_agent?: string;
        };
        Returns: Json;
      };
      claim_schedule_run: { Args: { p_due_at: string; p_missed?: boolean; p_name: string }; Returns: Json };
      cleanup_agent_artifacts: { Args: Record<PropertyKey, never>; Returns: Json };
      complete_sprint: { Args: { p_carry_over?: boolean; p_sprint_id: string }; Returns: Json };
      configure_account: { Args: { p_is_demo?: boolean; p_role?: string; p_user_id: string }; Returns: Json };
      confirm_chat: { Args: { p_chat_id: string }; Returns: Json };
      count_file_bytes: { Args: Record<PropertyKey, never>; Returns: Json };
      create_api_token: {
        Args: {
          p_expires_days?: number;
          p_label: string;
          p_prefix: string;
          p_product_ids?: Json;
          p_scopes?: Json;
          p_token_hash: string;
        };
        Returns: Json;
      };
      create_chat: { Args: { p_is_set_up: boolean; p_service: string; p_time_zone?: string }; Returns: Json };
      create_from_list: { Args: { p_items: Json; p_pbi_id?: string; p_story_id?: string }; Returns: Json };
      create_idea: {
        Args: { p_description?: string; p_product_id: string; p_refuse_similar?: boolean; p_title: string };
        Returns: Json;
      };
      create_invitation: { Args: { p_code_hash: string; p_product_id: string; p_role: string }; Returns: Json };
      create_label: { Args: { p_color?: string; p_name: string; p_product_id: string }; Returns: Json };
      create_oauth_code: {
        Args: {
          p_audience: string;
          p_challenge: string;
          p_client_id: string;
          p_client_name: string;
          p_code_hash: string;
          p_product_ids: Json;
          p_redirect_uri: string;
          p_scopes: Json;
          p_session_id: string;
          p_user_id: string;
        };
        Returns: Json;
      };
      create_pbi: {
        Args: {
          p_code?: string;
          p_description?: string;
          p_priority?: number;
          p_product_id: string;
          p_refuse_similar?: boolean;
          p_title: string;
        };
        Returns: Json;
      };
      create_product: {
        Args: {
          p_agent?: string;
          p_agent_items?: string;
          p_auto_pr?: boolean;
          p_avoid_overlap?: boolean;
          p_branch_prefix?: string;
          p_change_index?: boolean;
          p_code: string;
          p_definition_of_done?: string;
          p_dependency_release?: string;
          p_description?: string;
          p_done_requires?: string;
          p_effort?: string;
          p_fallback?: Json;
          p_fallback_after?: number;
          p_landing?: string;
          p_may_reach?: Json;
          p_model?: string;
          p_name: string;
          p_on_failure?: string;
          p_plan_first?: string;
          p_plan_review?: string;
          p_pr_strategy?: string;
          p_pull_requests?: string;
          p_references?: Json;
          p_repo_url?: string;
          p_requires_sandbox?: boolean;
        };
        Returns: Json;
      };
      create_saved_view: {
        Args: { p_look: Json; p_name: string; p_page: string; p_product_id: string; p_shared?: boolean };
        Returns: Json;
      };
      create_session: {
        Args: { p_ip?: string; p_previous_session_id?: string; p_user_agent?: string; p_user_id: string };
        Returns: Json;
      };
      create_sprint: {
        Args: {
          p_end_date?: string;
          p_product_id: string;
          p_sprint_goal?: string;
          p_start_date?: string;
          p_story_ids?: Json;
        };
        Returns: Json;
      };
      create_story: {
        Args: {
          p_acceptance_criteria?: string;
          p_agent?: string;
          p_assignee_id?: string;
          p_blocked_by?: Json;
          p_code?: string;
          p_description?: string;
          p_effort?: string;
          p_labels?: Json;
          p_model?: string;
          p_pbi_id: string;
          p_priority?: number;
          p_refuse_similar?: boolean;
          p_sprint_id?: string;
          p_title: string;
        };
        Returns: Json;
      };
      create_task: {
        Args: {
          p_agent?: string;
          p_blocked_by?: Json;
          p_code?: string;
          p_description?: string;
          p_effort?: string;
          p_estimated_minutes?: number;
          p_implementation_plan?: string;
          p_labels?: Json;
          p_model?: string;
          p_priority?: number;
          p_refuse_similar?: boolean;
          p_repo_url?: string;
          p_requires_opus?: boolean;
          p_story_id: string;
          p_title: string;
          p_verify_only?: boolean;
          p_verify_required?: string;
        };
        Returns: Json;
      };
      create_webhook: { Args: { p_events?: Json; p_product_id: string; p_url: string }; Returns: Json };
      decide_lesson: { Args: { p_lesson_id: string; p_text?: string; p_verdict: string }; Returns: Json };
      decline_story: { Args: { p_story_id: string }; Returns: Json };
      delete_budget: { Args: { p_budget_id: string; p_product_id: string }; Returns: Json };
      delete_chat: { Args: { p_chat_id: string }; Returns: Json };
      delete_comment: { Args: { p_comment_id: string; p_id: string; p_kind: string }; Returns: Json };
      delete_file: { Args: { p_file_id: string }; Returns: Json };
      delete_job_comment: { Args: { p_comment_id: string; p_job_id: string }; Returns: Json };
      delete_label: { Args: { p_label_id: string; p_product_id: string }; Returns: Json };
      delete_pbi: { Args: { p_pbi_id: string }; Returns: Json };
      delete_product: { Args: { p_code: string; p_product_id: string }; Returns: Json };
      delete_recurrence: { Args: { p_story_id: string }; Returns: Json };
      delete_saved_view: { Args: { p_view_id: string }; Returns: Json };
      delete_story: { Args: { p_story_id: string }; Returns: Json };
      delete_task: { Args: { p_task_id: string }; Returns: Json };
      delete_webhook: { Args: { p_webhook_id: string }; Returns: Json };
      discard_import: { Args: { p_product_id: string }; Returns: Json };
      doctor_facts: { Args: { p_hashes?: Json }; Returns: Json };
      edit_comment: { Args: { p_body: string; p_comment_id: string; p_id: string; p_kind: string }; Returns: Json };
      edit_task: { Args: { p_changes: Json; p_task_id: string }; Returns: Json };
      end_identity: { Args: { p_issuer: string; p_subject: string; p_tried: string }; Returns: Json };
      end_import: { Args: { p_error?: string; p_import_id: string; p_report?: Json }; Returns: Json };
      end_session: { Args: { p_ip?: string; p_session_id: string }; Returns: Json };
      enrol_member: { Args: { p_product_id: string; p_role?: string; p_user_id: string }; Returns: Json };
      enter_preview: { Args: { p_preview_id: string; p_ticket_hash: string }; Returns: Json };
      expire_questions: { Args: Record<PropertyKey, never>; Returns: Json };
      export_file: { Args: { p_file_id: string }; Returns: Json };
      export_product: { Args: { p_product_id: string }; Returns: Json };
      find_identity_account: {
        Args: { p_issuer: string; p_subject: string; p_verified_email?: string };
        Returns: Json;
      };
      find_invitation: { Args: { p_code_hash: string }; Returns: Json };
      find_login_identity: { Args: { p_identifier: string; p_session_id?: string }; Returns: Json };
      find_lost_viewers: { Args: { p_viewers: Json }; Returns: Json };
      find_unconfirmed_accounts: { Args: { p_code_hash?: string; p_email: string }; Returns: Json };
      find_wrong_counters: { Args: Record<PropertyKey, never>; Returns: Json };
      finish_schedule_run: { Args: { p_due_at: string; p_name: string }; Returns: Json };
      fire_recurrence: {
        Args: { p_due_at: string; p_is_late: boolean; p_next_at?: string; p_slot: string; p_story_id: string };
        Returns: Json;
      };
      get_agent_context: { Args: { p_product_id: string }; Returns: Json };
      get_agent_job: { Args: { p_job_id: string }; Returns: Json };
      get_avatar: { Args: { p_user_id: string }; Returns: Json };
      get_backlog: { Args: { p_product_id: string }; Returns: Json };
      get_backlog_tree: { Args: { p_product_id: string }; Returns: Json };
      get_branch: { Args: { p_id: string; p_kind: string }; Returns: Json };
      get_budgets: {
        Args: { p_product_id: string; p_sprint_id?: string; p_sprint_run_id?: string; p_task_id?: string };
        Returns: Json;
      };
      get_costs: { Args: { p_by?: string; p_from?: string; p_product_id: string; p_to?: string }; Returns: Json };
      get_dashboard: { Args: Record<PropertyKey, never>; Returns: Json };
      get_forecast: { Args: { p_product_id: string; p_sprint_id?: string; p_task_ids?: Json }; Returns: Json };
      get_forecast_quality: { Args: { p_product_id: string }; Returns: Json };
      get_idea: { Args: { p_idea_id: string }; Returns: Json };
      get_idea_conversation: { Args: { p_idea_id: string }; Returns: Json };
      get_import: { Args: { p_import_id: string }; Returns: Json };
      get_inbox: { Args: { p_asked?: string; p_cursor?: string; p_kinds?: Json; p_state?: string }; Returns: Json };
      get_insights: { Args: { p_product_id: string; p_sprint_id?: string }; Returns: Json };
      get_intake_hook: { Args: { p_product_id: string }; Returns: Json };
      get_issue_label: { Args: { p_product_id: string }; Returns: Json };
      get_job_diff: {
        Args: { p_attempt?: number; p_index?: number; p_job_id: string; p_most?: number; p_paths?: Json };
        Returns: Json;
      };
      get_job_guide: { Args: { p_attempt?: number; p_job_id: string }; Returns: Json };
      get_job_marks: { Args: { p_job_id: string }; Returns: Json };
      get_job_output: {
        Args: { p_after?: number; p_attempt?: number; p_job_id: string; p_limit?: number };
        Returns: Json;
      };
      get_job_page: { Args: { p_job_id: string }; Returns: Json };
      get_job_proof: { Args: { p_job_id: string }; Returns: Json };
      get_meets: { Args: { p_product_id: string; p_task_ids: Json }; Returns: Json };
      get_metrics: { Args: Record<PropertyKey, never>; Returns: Json };
      get_next_story: { Args: { p_product_id: string }; Returns: Json };
      get_notifications_state: { Args: Record<PropertyKey, never>; Returns: Json };
      get_oauth_client: { Args: { p_client_id: string }; Returns: Json };
      get_pairing_for_approval: {
        Args: { p_mobile_secret_hash: string; p_pairing_id: string; p_user_id: string };
        Returns: Json;
      };
      get_pairing_state: { Args: { p_desktop_token_hash: string; p_pairing_id: string }; Returns: Json };
      get_pbi: { Args: { p_pbi_id: string }; Returns: Json };
      get_preview: { Args: { p_job_id: string }; Returns: Json };
      get_preview_access: { Args: { p_preview_id: string; p_session_id: string; p_user_id: string }; Returns: Json };
      get_product: { Args: { p_product_id: string }; Returns: Json };
      get_profile: { Args: Record<PropertyKey, never>; Returns: Json };
      get_proof: { Args: { p_story_id: string }; Returns: Json };
      get_question: { Args: { p_question_id: string }; Returns: Json };
      get_recurrence: { Args: { p_story_id: string }; Returns: Json };
      get_review_page: {
        Args: {
          p_attempt?: number;
          p_job_id?: string;
          p_most?: number;
          p_since?: string;
          p_story_id?: string;
          p_task_id?: string;
        };
        Returns: Json;
      };
      get_review_place: { Args: { p_job_ids: Json }; Returns: Json };
      get_run_page: { Args: { p_product_id: string; p_sprint_run_id: string }; Returns: Json };
      get_scoreboard: { Args: { p_product_id: string }; Returns: Json };
      get_shell: { Args: { p_active_product_id?: string }; Returns: Json };
      get_solo_board: { Args: { p_product_id: string }; Returns: Json };
      get_solo_state: { Args: { p_product_id: string }; Returns: Json };
      get_sprint: { Args: { p_sprint_id: string }; Returns: Json };
      get_sprint_board: { Args: { p_sprint_id: string; p_with_start?: boolean }; Returns: Json };
      get_sprint_context: { Args: { p_cursor?: string; p_limit?: number; p_sprint_id: string }; Returns: Json };
      get_sprint_review: { Args: { p_sprint_id: string }; Returns: Json };
      get_sprint_run: { Args: { p_sprint_run_id: string }; Returns: Json };
      get_story: { Args: { p_story_id: string }; Returns: Json };
      get_story_changes: {
        Args: { p_most?: number; p_paths?: Json; p_story_id: string; p_with_files?: boolean };
        Returns: Json;
      };
      get_story_page: { Args: { p_comments_before?: string; p_story_id: string }; Returns: Json };
      get_story_panel: { Args: { p_story_id: string }; Returns: Json };
      get_task_detail: { Args: { p_task_id: string }; Returns: Json };
      get_task_forecast: { Args: { p_for_page?: boolean; p_task_id: string }; Returns: Json };
      get_task_page: { Args: { p_comments_before?: string; p_task_id: string }; Returns: Json };
      get_task_panel: { Args: { p_task_id: string }; Returns: Json };
      give_back_limit: { Args: { p_action: string; p_key: string }; Returns: Json };
      has_accounts: { Args: Record<PropertyKey, never>; Returns: Json };
      hear_chat: {
        Args: {
          p_account_id: string;
          p_account_name: string;
          p_event_id: string;
          p_option?: string;
          p_ref?: string;
          p_room?: string;
          p_service: string;
          p_text?: string;
        };
        Returns: Json;
      };
      heartbeat_agent_job: {
        Args: { p_attempt: number; p_job_id: string; p_quota_pct?: number; p_seen_messages?: Json; p_usage?: Json };
        Returns: Json;
      };
      hold_chat: {
        Args: {
          p_bot_name?: string;
          p_error?: string;
          p_holder: string;
          p_reason?: string;
          p_service: string;
          p_state: string;
        };
        Returns: Json;
      };
      import_backlog: {
        Args: {
          p_agent_items?: string;
          p_code?: string;
          p_definition_of_done?: string;
          p_done_requires?: string;
          p_ideas?: Json;
          p_import_id?: string;
          p_name?: string;
          p_on_failure?: string;
          p_pbis: Json;
          p_preview?: boolean;
          p_product_id?: string;
        };
        Returns: Json;
      };
      import_dependencies: { Args: { p_dependencies: Json; p_product_id: string }; Returns: Json };
      import_file: { Args: { p_content: string; p_file: Json; p_product_id: string }; Returns: Json };
      import_ideas: {
        Args: { p_archived_at: string; p_ideas: Json; p_owner_id: string; p_product_id: string };
        Returns: Json;
      };
      import_lessons: { Args: { p_lessons: Json; p_product_id: string; p_trust?: boolean }; Returns: Json };
      import_product: { Args: { p_document: Json; p_owner_id: string }; Returns: Json };
      import_stories: {
        Args: { p_owner_id: string; p_product_id: string; p_stories: Json; p_trust?: boolean };
        Returns: Json;
      };
      invite_person: { Args: { p_identifier: string; p_product_id: string; p_role?: string }; Returns: Json };
      issue_api_token: {
        Args: { p_expires_days?: number; p_label: string; p_prefix: string; p_token_hash: string; p_user_id: string };
        Returns: Json;
      };
      join_product: { Args: { p_code_hash?: string; p_reserved?: boolean }; Returns: Json };
      keep_identity: {
        Args: { p_is_admin?: boolean; p_issuer: string; p_refresh_token?: string; p_subject: string; p_tried?: string };
        Returns: Json;
      };
      keep_invitation: { Args: { p_account?: string; p_code_hash: string }; Returns: Json };
      leave_product: { Args: { p_product_id: string }; Returns: Json };
      link_idea_product: { Args: { p_idea_id: string; p_product_id: string }; Returns: Json };
      link_identity: {
        Args: { p_account: string; p_by_address?: boolean; p_ip?: string; p_issuer: string; p_subject: string };
        Returns: Json;
      };
      list_agent_jobs: {
        Args: {
          p_cursor?: string;
          p_limit?: number;
          p_product_id?: string;
          p_sprint_run_id?: string;
          p_state?: string;
        };
        Returns: Json;
      };
      list_agent_workers: { Args: { p_product_id?: string }; Returns: Json };
      list_api_tokens: { Args: Record<PropertyKey, never>; Returns: Json };
      list_audit_events: { Args: { p_all?: boolean; p_before?: string }; Returns: Json };
      list_candidates: { Args: { p_id: string; p_kind: string; p_query?: string }; Returns: Json };
      list_chat_connections: { Args: Record<PropertyKey, never>; Returns: Json };
      list_chats: { Args: Record<PropertyKey, never>; Returns: Json };
      list_comments: { Args: { p_cursor?: string; p_id: string; p_kind: string; p_limit?: number }; Returns: Json };
      list_dependencies: { Args: { p_id: string; p_kind: string }; Returns: Json };
      list_due_recurrences: { Args: Record<PropertyKey, never>; Returns: Json };
      list_files: { Args: { p_cursor?: string; p_limit?: number; p_product_id: string }; Returns: Json };
      list_grants: { Args: Record<PropertyKey, never>; Returns: Json };
      list_ideas: {
        Args: { p_archived?: boolean; p_cursor?: string; p_limit?: number; p_product_id?: string };
        Returns: Json;
      };
      list_invitations: { Args: { p_product_id: string }; Returns: Json };
      list_job_comments: { Args: { p_job_id: string }; Returns: Json };
      list_job_messages: { Args: { p_job_id: string }; Returns: Json };
      list_labels: { Args: { p_product_id: string }; Returns: Json };
      list_landings: { Args: { p_product_id: string }; Returns: Json };
      list_lessons: { Args: { p_product_id: string }; Returns: Json };
      list_model_prices: { Args: Record<PropertyKey, never>; Returns: Json };
      list_open_user_questions: { Args: { p_cursor?: string; p_limit?: number; p_product_id?: string }; Returns: Json };
      list_pbi_stories: { Args: { p_pbi_id: string }; Returns: Json };
      list_product_members: { Args: { p_product_id: string }; Returns: Json };
      list_product_overviews: { Args: { p_archived?: boolean }; Returns: Json };
      list_products: { Args: Record<PropertyKey, never>; Returns: Json };
      list_pull_texts: { Args: { p_product_id: string }; Returns: Json };
      list_pulls: { Args: { p_product_id: string; p_state?: string }; Returns: Json };
      list_push_subscriptions: { Args: Record<PropertyKey, never>; Returns: Json };
      list_questions: {
        Args: { p_cursor?: string; p_job_id?: string; p_limit?: number; p_product_id?: string; p_state?: string };
        Returns: Json;
      };
      list_ready: { Args: { p_limit?: number; p_product_id: string }; Returns: Json };
      list_reviews: { Args: { p_cursor?: string; p_limit?: number; p_product_id?: string }; Returns: Json };
      list_run_order: { Args: { p_sprint_run_id: string }; Returns: Json };
      list_same_files: { Args: { p_job_id: string; p_whole_story?: boolean }; Returns: Json };
      list_saved_views: { Args: { p_page?: string; p_product_id: string }; Returns: Json };
      list_sent_messages: { Args: { p_topics: Json }; Returns: Json };
      list_sessions: { Args: Record<PropertyKey, never>; Returns: Json };
      list_sprint_runs: {
        Args: { p_cursor?: string; p_limit?: number; p_product_id: string; p_sprint_id?: string };
        Returns: Json;
      };
      list_sprint_tasks: { Args: { p_limit?: number; p_sprint_id: string }; Returns: Json };
      list_sprints: { Args: { p_product_id: string }; Returns: Json };
      list_story_logs: { Args: { p_cursor?: string; p_limit?: number; p_story_id: string }; Returns: Json };
      list_story_tasks: { Args: { p_story_id: string }; Returns: Json };
      list_triage: { Args: { p_product_id: string }; Returns: Json };
      list_viewed: { Args: { p_attempt: number; p_job_id: string }; Returns: Json };
      list_waiting_reviews: { Args: { p_cursor?: string; p_limit?: number; p_product_id?: string }; Returns: Json };
      list_webhook_deliveries: { Args: { p_cursor?: string; p_limit?: number; p_webhook_id: string }; Returns: Json };
      list_webhooks: { Args: { p_product_id: string }; Returns: Json };
      make_story_tasks: { Args: { p_product_id: string; p_story_ids: Json }; Returns: Json };
      mark_inbox_item: { Args: { p_item_id: string; p_kind: string; p_mark: string; p_until?: string }; Returns: Json };
      mark_notice: {
        Args: {
          p_delivered: boolean;
          p_error?: string;
          p_give_up?: boolean;
          p_gone_subscription_ids?: Json;
          p_notice_id: string;
          p_response_status?: number;
        };
        Returns: Json;
      };
      mark_pbi_pr_merged: { Args: { p_pbi_id: string }; Returns: Json };
      mark_viewed: { Args: { p_attempt: number; p_job_id: string; p_path: string; p_viewed: boolean }; Returns: Json };
      merge_story: { Args: { p_into: string; p_story_id: string }; Returns: Json };
      message_job: { Args: { p_body: string; p_job_id: string }; Returns: Json };
      move_pbi: {
        Args: { p_after_id?: string; p_before_id?: string; p_pbi_id: string; p_priority?: number };
        Returns: Json;
      };
      move_stories: { Args: { p_sprint_id?: string; p_story_ids: Json }; Returns: Json };
      move_task: { Args: { p_story_id: string; p_task_id: string }; Returns: Json };
      next_issue_note: { Args: { p_product_id: string; p_project: string; p_worker: string }; Returns: Json };
      next_landing: { Args: { p_product_id: string; p_pushes?: boolean; p_worker: string }; Returns: Json };
      next_upkeep: { Args: { p_product_id: string; p_worker: string }; Returns: Json };
      note_chat_work: {
        Args: { p_error?: string; p_give_up?: boolean; p_ids: Json; p_ref?: string; p_retry_seconds?: number };
        Returns: Json;
      };
      note_first_look: { Args: { p_job_id: string }; Returns: Json };
      observe_issues: { Args: { p_issues: Json; p_label: string; p_product_id: string }; Returns: Json };
      observe_pulls: { Args: { p_product_id: string; p_pulls: Json }; Returns: Json };
      open_preview: { Args: { p_preview_id: string; p_ticket_hash: string }; Returns: Json };
      password_changed: {
        Args: {
          p_actor_id?: string;
          p_ip?: string;
          p_keep_session_id?: string;
          p_must_reset?: boolean;
          p_user_id: string;
        };
        Returns: Json;
      };
      pause_sprint_run: {
        Args: {
          p_attempt?: number;
          p_conflict_files?: Json;
          p_job_id?: string;
          p_pr_url?: string;
          p_reason?: string;
          p_release?: boolean;
          p_sprint_run_id: string;
        };
        Returns: Json;
      };
      ping: { Args: Record<PropertyKey, never>; Returns: Json };
      ping_webhook: { Args: { p_webhook_id: string }; Returns: Json };
      place_files: { Args: { p_files: Json; p_product_id: string }; Returns: Json };
      preflight_sprint_run: { Args: { p_sprint_id: string }; Returns: Json };
      promote_idea: {
        Args: {
          p_code?: string;
          p_description?: string;
          p_idea_id: string;
          p_priority?: number;
          p_product_id?: string;
          p_title?: string;
        };
        Returns: Json;
      };
      propose_follow_up: {
        Args: { p_job_id: string; p_repository: string; p_title: string; p_why?: string };
        Returns: Json;
      };
      propose_lesson: { Args: { p_job_id: string; p_product_id: string; p_text: string }; Returns: Json };
      read_backlog_stream: { Args: { p_product_id: string }; Returns: Json };
      read_file: { Args: { p_file_id: string; p_from?: number; p_length?: number }; Returns: Json };
      read_job_stream: { Args: { p_job_id: string }; Returns: Json };
      read_notifications_stream: { Args: Record<PropertyKey, never>; Returns: Json };
      read_solo_stream: { Args: { p_product_id: string }; Returns: Json };
      receive_item: {
        Args: { p_external_id?: string; p_key_hash: string; p_text?: string; p_title: string; p_url?: string };
        Returns: Json;
      };
      redeem_oauth_code: {
        Args: {
          p_address_key: string;
          p_audience: string;
          p_challenge: string;
          p_client_id: string;
          p_code_hash: string;
          p_prefix: string;
          p_redirect_uri: string;
          p_refresh_hash: string;
          p_token_hash: string;
        };
        Returns: Json;
      };
      refresh_oauth_token: {
        Args: {
          p_address_key: string;
          p_audience: string;
          p_client_id: string;
          p_new_refresh_hash: string;
          p_next_tokens: string;
          p_refresh_hash: string;
          p_scopes: Json;
          p_token_hash: string;
        };
        Returns: Json;
      };
      register_oauth_client: {
        Args: { p_address_key: string; p_client_id: string; p_name: string; p_redirect_uris: Json };
        Returns: Json;
      };
      remove_dependency: { Args: { p_blocker: string; p_id: string; p_kind: string }; Returns: Json };
      remove_product_member: { Args: { p_product_id: string; p_user_id: string }; Returns: Json };
      remove_story_from_sprint: { Args: { p_story_id: string }; Returns: Json };
      report_agent_job: { Args: { p_attempt: number; p_job_id: string; p_report: Json }; Returns: Json };
      report_issue_note: {
        Args: { p_issue_note_id: string; p_lease: string; p_state: string; p_words?: string };
        Returns: Json;
      };
      report_job_conflict: { Args: { p_attempt: number; p_conflict: Json; p_job_id: string }; Returns: Json };
      report_job_usage: { Args: { p_attempt: number; p_job_id: string; p_usage: Json }; Returns: Json };
      report_landing: {
        Args: { p_head_sha?: string; p_landing_id: string; p_lease: string; p_state: string; p_words?: string };
        Returns: Json;
      };
      report_merged: { Args: { p_head_sha?: string; p_job_id: string }; Returns: Json };
      report_upkeep: {
        Args: {
          p_digest?: string;
          p_lease: string;
          p_state: string;
          p_upkeep_id: string;
          p_url?: string;
          p_words?: string;
        };
        Returns: Json;
      };
      reserve_invitation: { Args: { p_code_hash: string }; Returns: Json };
      resolve_account: { Args: { p_identifier: string }; Returns: Json };
      resolve_product: { Args: { p_reference: string }; Returns: Json };
      resolve_reference: { Args: { p_kind: string; p_product_id?: string; p_reference: string }; Returns: Json };
      restart_worker: { Args: { p_stopped?: boolean; p_worker: string }; Returns: Json };
      restore_idea: { Args: { p_idea_id: string }; Returns: Json };
      restore_product: { Args: { p_product_id: string }; Returns: Json };
      resume_sprint: {
        Args: {
          p_leave_out?: boolean;
          p_plan_first?: boolean;
          p_skip_failed?: boolean;
          p_sprint_id: string;
          p_use_description?: boolean;
        };
        Returns: Json;
      };
      resume_sprint_run: { Args: { p_sprint_run_id: string }; Returns: Json };
      review_job: {
        Args: {
          p_attempt?: number;
          p_confirm?: Json;
          p_criteria?: Json;
          p_job_id: string;
          p_summary?: string;
          p_undo_seconds?: number;
          p_verdict: string;
        };
        Returns: Json;
      };
      review_plan: {
        Args: { p_job_id: string; p_plan?: string; p_summary?: string; p_verdict: string };
        Returns: Json;
      };
      review_story: {
        Args: {
          p_attempts: Json;
          p_confirm?: Json;
          p_criteria?: Json;
          p_story_id: string;
          p_summary?: string;
          p_undo_seconds?: number;
          p_verdict: string;
        };
        Returns: Json;
      };
      revoke_api_token: { Args: { p_token_id: string }; Returns: Json };
      revoke_intake_hook: { Args: { p_product_id: string }; Returns: Json };
      revoke_invitation: { Args: { p_invitation_id: string }; Returns: Json };
      revoke_oauth_token: { Args: { p_address_key: string; p_client_id: string; p_token_hash: string }; Returns: Json };
      revoke_other_sessions: { Args: Record<PropertyKey, never>; Returns: Json };
      revoke_pairing: { Args: { p_pairing_id: string }; Returns: Json };
      revoke_session: { Args: { p_session_id: string }; Returns: Json };
      save_change_index: {
        Args: { p_changes: Json; p_head_sha: string; p_product_id: string; p_repository: string };
        Returns: Json;
      };
      save_job_diff: { Args: { p_attempt: number; p_diff: Json; p_job_id: string }; Returns: Json };
      save_job_guide: {
        Args: { p_attempt: number; p_chapters: Json; p_head_sha: string; p_job_id: string };
        Returns: Json;
      };
      search: {
        Args: { p_cursor?: string; p_kind?: string; p_limit?: number; p_product_id?: string; p_query: string };
        Returns: Json;
      };
      send_probe: { Args: { p_user_id: string }; Returns: Json };
      set_active_product: { Args: { p_product_id?: string }; Returns: Json };
      set_avatar: { Args: { p_hex?: string; p_mime?: string }; Returns: Json };
      set_budget: {
        Args: {
          p_amount: number;
          p_period?: string;
          p_product_id: string;
          p_scope: string;
          p_target_id?: string;
          p_unit: string;
        };
        Returns: Json;
      };
      set_budget_settings: { Args: { p_changes: Json; p_product_id: string }; Returns: Json };
      set_intake_hook: { Args: { p_id: string; p_key_hash: string; p_product_id: string }; Returns: Json };
      set_member_role: { Args: { p_product_id: string; p_role: string; p_user_id: string }; Returns: Json };
      set_model_price: {
        Args: {
          p_cache_read_per_million?: number;
          p_cache_write_per_million?: number;
          p_currency?: string;
          p_input_per_million?: number;
          p_model_id: string;
          p_output_per_million?: number;
        };
        Returns: Json;
      };
      set_pbi_pr: { Args: { p_pbi_id: string; p_pr_url: string }; Returns: Json };
      set_recurrence: {
        Args: { p_cron: string; p_missed: string; p_next_at: string; p_story_id: string; p_zone: string };
        Returns: Json;
      };
      set_task_status: { Args: { p_confirmed?: boolean; p_status: string; p_task_id: string }; Returns: Json };
      start_import: { Args: { p_import_id: string; p_rows: number }; Returns: Json };
      start_over: { Args: { p_id: string; p_kind: string }; Returns: Json };
      start_pairing: {
        Args: {
          p_address_key: string;
          p_desktop_token_hash: string;
          p_ip?: string;
          p_mobile_secret_hash: string;
          p_user_agent?: string;
        };
        Returns: Json;
      };
      start_preview: { Args: { p_job_id: string }; Returns: Json };
      start_run: {
        Args: {
          p_ceiling?: Json;
          p_leave_out?: boolean;
          p_plan_first?: boolean;
          p_plan_review?: string;
          p_stop_at?: Json;
          p_story_id?: string;
          p_strategy?: string;
          p_task_ids?: Json;
          p_use_description?: boolean;
        };
        Returns: Json;
      };
      start_sprint: { Args: { p_sprint_id: string }; Returns: Json };
      start_sprint_run: {
        Args: {
          p_ceiling?: Json;
          p_leave_out?: boolean;
          p_plan_first?: boolean;
          p_plan_review?: string;
          p_sprint_id: string;
          p_stop_at?: Json;
          p_use_description?: boolean;
        };
        Returns: Json;
      };
      stop_preview: { Args: { p_job_id: string }; Returns: Json };
      subscribe_push: {
        Args: { p_auth: string; p_endpoint: string; p_p256dh: string; p_user_agent?: string };
        Returns: Json;
      };
      sweep: { Args: { p_full?: boolean }; Returns: Json };
      sync_previews: {
        Args: { p_previews?: Json; p_product_id?: string; p_restarted?: boolean; p_room: number; p_worker: string };
        Returns: Json;
      };
      take_agent_job: {
        Args: { p_at_once?: boolean; p_confinement?: string; p_product?: string; p_task: string; p_worker?: string };
        Returns: Json;
      };
      take_chat_work: { Args: { p_edits?: number; p_sends?: number; p_service: string }; Returns: Json };
      take_due_notices: { Args: { p_lease_seconds?: number; p_limit?: number }; Returns: Json };
      take_limit: { Args: { p_action: string; p_key: string }; Returns: Json };
      taken_file_ids: { Args: { p_ids: Json }; Returns: Json };
      undo_change: { Args: Record<PropertyKey, never>; Returns: Json };
      undo_review: { Args: { p_job_id: string }; Returns: Json };
      undo_story_review: { Args: { p_story_id: string }; Returns: Json };
      unlink_idea_product: { Args: { p_idea_id: string; p_product_id: string }; Returns: Json };
      unsubscribe_push: { Args: { p_endpoint?: string; p_id?: string }; Returns: Json };
      update_chat: { Args: { p_chat_id: string; p_fields: Json }; Returns: Json };
      update_idea: { Args: { p_changes: Json; p_idea_id: string }; Returns: Json };
      update_label: { Args: { p_changes: Json; p_label_id: string; p_product_id: string }; Returns: Json };
      update_pbi: { Args: { p_changes: Json; p_pbi_id: string }; Returns: Json };
      update_product: { Args: { p_changes: Json; p_product_id: string }; Returns: Json };
      update_profile: { Args: { p_min_quota_pct?: number; p_theme?: string; p_username?: string }; Returns: Json };
      update_saved_view: { Args: { p_changes: Json; p_view_id: string }; Returns: Json };
      update_sprint: { Args: { p_changes: Json; p_sprint_id: string }; Returns: Json };
      update_story: { Args: { p_changes: Json; p_story_id: string }; Returns: Json };
      update_task: {
        Args: {
          p_expected_version?: Json;
          p_implementation_plan?: string;
          p_labels?: Json;
          p_status?: string;
          p_task_id: string;
          p_verify_only?: boolean;
          p_verify_required?: string;
          p_who?: Json;
        };
        Returns: Json;
      };
      update_task_execution: {
        Args: {
          p_attempt: number;
          p_failure_reason?: string;
          p_head_sha?: string;
          p_implementation_plan?: string;
          p_job_id: string;
          p_status: string;
          p_task_id: string;
          p_verify_result?: string;
        };
        Returns: Json;
      };
      update_webhook: {
        Args: { p_active?: boolean; p_events?: Json; p_url?: string; p_webhook_id: string };
        Returns: Json;
      };
      verify_sprint_task: {
        Args: {
          p_attempt: number;
          p_base_sha?: string;
          p_changed_files?: Json;
          p_evidence?: Json;
          p_head_sha?: string;
          p_job_id: string;
          p_task_id: string;
          p_verify_result?: string;
        };
        Returns: Json;
      };
      verify_task_against_plan: {
        Args: {
          p_attempt: number;
          p_base_sha?: string;
          p_changed_files?: Json;
          p_evidence?: Json;
          p_head_sha?: string;
          p_job_id: string;
          p_verify_result?: string;
        };
        Returns: Json;
      };
      waive_criterion: { Args: { p_criterion: string; p_reason: string; p_story_id: string }; Returns: Json };
      why_not_moving: { Args: { p_id: string; p_kind: string }; Returns: Json };
      worker_heartbeat: {
        Args: {
          p_agents?: Json;
          p_confinement?: string;
          p_hostname?: string;
          p_product_id?: string;
          p_quota_pct?: number;
          p_stopped?: boolean;
          p_version?: string;
          p_worker: string;
        };
        Returns: Json;
      };
    };
    Enums: {
      [_ in never]: never;
    };
    CompositeTypes: {
      [_ in never]: never;
    };
  };
  public: {
    Tables: {
      account_identities: {
        Row: {
          account: string;
          asked_until: string | null;
          checked_at: string;
          created_at: string;
          ended_at: string | null;
          issuer: string;
          refresh_token: string | null;
          subject: string;
        };
        ComputedFields: never;
        Insert: {
          account: string;
          asked_until?: string | null;
          checked_at?: string;
          created_at?: string;
          ended_at?: string | null;
          issuer: string;
          refresh_token?: string | null;
          subject: string;
        };
        Update: {
          account?: string;
          asked_until?: string | null;
          checked_at?: string;
          created_at?: string;
          ended_at?: string | null;
          issuer?: string;
          refresh_token?: string | null;
          subject?: string;
        };
        Relationships: [
          {
            foreignKeyName: "account_identities_account_fkey";
            columns: ["account"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      agent_jobs: {
        Row: {
          additions: number | null;
          agent: string | null;
          attempt: number;
          author_worker_id: string | null;
          base_sha: string | null;
          branch: string | null;
          cache_read_tokens: number | null;
          cache_write_tokens: number | null;
          claim_rank: number;
          claimed_at: string | null;
          confinement: Database["public"]["Enums"]["confinement"];
          created_at: string;
          created_by: string | null;
          deletions: number | null;
          effort: string | null;
          evidence: Json | null;
          failure_class: Database["public"]["Enums"]["failure_class"] | null;
          failure_reason: string | null;
          fallback_agent: string | null;
          finished_at: string | null;
          first_seen_at: string | null;
          head_sha: string | null;
          id: string;
          idea_id: string | null;
          in_turn: boolean;
          input_tokens: number | null;
          judged_at: string | null;
          kind: Database["public"]["Enums"]["agent_job_kind"];
          lane_id: string;
          lease_until: string | null;
          merged_at: string | null;
          model: string | null;
          model_id: string | null;
          not_before: string | null;
          open_blockers: number;
          output_tokens: number | null;
          parked_question_id: string | null;
          phase: Database["public"]["Enums"]["job_phase"];
          plan_approved_at: string | null;
          plan_snapshot: string | null;
          position: number;
          pr_url: string | null;
          product_id: string;
          pushed_at: string | null;
          retry_count: number;
          sprint_run_id: string | null;
          started_at: string | null;
          status: Database["public"]["Enums"]["agent_job_status"];
          stopped_by_budget_id: string | null;
          summary: string | null;
          take_at_once: boolean;
          taken_by: string | null;
          taken_until: string | null;
          task_id: string | null;
          updated_at: string;
          verify_result: Database["public"]["Enums"]["verify_result"] | null;
          worker_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          additions?: number | null;
          agent?: string | null;
          attempt?: number;
          author_worker_id?: string | null;
          base_sha?: string | null;
          branch?: string | null;
          cache_read_tokens?: number | null;
          cache_write_tokens?: number | null;
          claim_rank?: number;
          claimed_at?: string | null;
          confinement?: Database["public"]["Enums"]["confinement"];
          created_at?: string;
          created_by?: string | null;
          deletions?: number | null;
          effort?: string | null;
          evidence?: Json | null;
          failure_class?: Database["public"]["Enums"]["failure_class"] | null;
          failure_reason?: string | null;
          fallback_agent?: string | null;
          finished_at?: string | null;
          first_seen_at?: string | null;
          head_sha?: string | null;
          id?: string;
          idea_id?: string | null;
          in_turn?: boolean;
          input_tokens?: number | null;
          judged_at?: string | null;
          kind: Database["public"]["Enums"]["agent_job_kind"];
          lane_id: string;
          lease_until?: string | null;
          merged_at?: string | null;
          model?: string | null;
          model_id?: string | null;
          not_before?: string | null;
          open_blockers?: number;
          output_tokens?: number | null;
          parked_question_id?: string | null;
          phase?: Database["public"]["Enums"]["job_phase"];
          plan_approved_at?: string | null;
          plan_snapshot?: string | null;
          position?: number;
          pr_url?: string | null;
          product_id: string;
          pushed_at?: string | null;
          retry_count?: number;
          sprint_run_id?: string | null;
          started_at?: string | null;
          status?: Database["public"]["Enums"]["agent_job_status"];
          stopped_by_budget_id?: string | null;
          summary?: string | null;
          take_at_once?: boolean;
          taken_by?: string | null;
          taken_until?: string | null;
          task_id?: string | null;
          updated_at?: string;
          verify_result?: Database["public"]["Enums"]["verify_result"] | null;
          worker_id?: string | null;
        };
        Update: {
          additions?: number | null;
          agent?: string | null;
          attempt?: number;
          author_worker_id?: string | null;
          base_sha?: string | null;
          branch?: string | null;
          cache_read_tokens?: number | null;
          cache_write_tokens?: number | null;
          claim_rank?: number;
          claimed_at?: string | null;
          confinement?: Database["public"]["Enums"]["confinement"];
          created_at?: string;
          created_by?: string | null;
          deletions?: number | null;
          effort?: string | null;
          evidence?: Json | null;
          failure_class?: Database["public"]["Enums"]["failure_class"] | null;
          failure_reason?: string | null;
          fallback_agent?: string | null;
          finished_at?: string | null;
          first_seen_at?: string | null;
          head_sha?: string | null;
          id?: string;
          idea_id?: string | null;
          in_turn?: boolean;
          input_tokens?: number | null;
          judged_at?: string | null;
          kind?: Database["public"]["Enums"]["agent_job_kind"];
          lane_id?: string;
          lease_until?: string | null;
          merged_at?: string | null;
          model?: string | null;
          model_id?: string | null;
          not_before?: string | null;
          open_blockers?: number;
          output_tokens?: number | null;
          parked_question_id?: string | null;
          phase?: Database["public"]["Enums"]["job_phase"];
          plan_approved_at?: string | null;
          plan_snapshot?: string | null;
          position?: number;
          pr_url?: string | null;
          product_id?: string;
          pushed_at?: string | null;
          retry_count?: number;
          sprint_run_id?: string | null;
          started_at?: string | null;
          status?: Database["public"]["Enums"]["agent_job_status"];
          stopped_by_budget_id?: string | null;
          summary?: string | null;
          take_at_once?: boolean;
          taken_by?: string | null;
          taken_until?: string | null;
          task_id?: string | null;
          updated_at?: string;
          verify_result?: Database["public"]["Enums"]["verify_result"] | null;
          worker_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "agent_jobs_author_worker_id_fkey";
            columns: ["author_worker_id"];
            isOneToOne: false;
            referencedRelation: "agent_workers";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_jobs_created_by_fkey";
            columns: ["created_by"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_jobs_idea_id_fkey";
            columns: ["idea_id"];
            isOneToOne: false;
            referencedRelation: "ideas";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_jobs_parked_question_id_fkey";
            columns: ["parked_question_id"];
            isOneToOne: false;
            referencedRelation: "agent_questions";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_jobs_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_jobs_sprint_run_id_fkey";
            columns: ["sprint_run_id"];
            isOneToOne: false;
            referencedRelation: "sprint_runs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_jobs_stopped_by_budget_id_fkey";
            columns: ["stopped_by_budget_id"];
            isOneToOne: false;
            referencedRelation: "budgets";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_jobs_taken_by_fkey";
            columns: ["taken_by"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_jobs_task_id_fkey";
            columns: ["task_id"];
            isOneToOne: false;
            referencedRelation: "tasks";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_jobs_worker_id_fkey";
            columns: ["worker_id"];
            isOneToOne: false;
            referencedRelation: "agent_workers";
            referencedColumns: ["id"];
          },
        ];
      };
      agent_messages: {
        Row: {
          attempt: number | null;
          author: string;
          body: string;
          code: string;
          comment_id: string;
          id: string;
          job_id: string | null;
          product_id: string;
          reason: string | null;
          seen_at: string | null;
          sent_at: string;
          state: Database["public"]["Enums"]["message_state"];
          told: number;
        };
        ComputedFields: never;
        Insert: {
          attempt?: number | null;
          author: string;
          body: string;
          code: string;
          comment_id: string;
          id?: string;
          job_id?: string | null;
          product_id: string;
          reason?: string | null;
          seen_at?: string | null;
          sent_at?: string;
          state?: Database["public"]["Enums"]["message_state"];
          told?: number;
        };
        Update: {
          attempt?: number | null;
          author?: string;
          body?: string;
          code?: string;
          comment_id?: string;
          id?: string;
          job_id?: string | null;
          product_id?: string;
          reason?: string | null;
          seen_at?: string | null;
          sent_at?: string;
          state?: Database["public"]["Enums"]["message_state"];
          told?: number;
        };
        Relationships: [
          {
            foreignKeyName: "agent_messages_comment_id_fkey";
            columns: ["comment_id"];
            isOneToOne: false;
            referencedRelation: "comments";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_messages_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_messages_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      agent_questions: {
        Row: {
          answer: string | null;
          answered_at: string | null;
          answered_by: string | null;
          answered_via: string | null;
          asked_by: string | null;
          assignee_id: string | null;
          created_at: string;
          escalate_to: string | null;
          expires_at: string;
          id: string;
          idea_id: string | null;
          job_id: string | null;
          kind: Database["public"]["Enums"]["question_kind"];
          on_expiry: Database["public"]["Enums"]["question_expiry"];
          options: NonNullable<Json>;
          park: boolean;
          plan: string | null;
          product_id: string;
          question: string;
          reach: string | null;
          reader_id: string | null;
          recommended_option: number | null;
          sprint_run_id: string | null;
          status: Database["public"]["Enums"]["agent_question_status"];
          story_id: string | null;
          task_id: string | null;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          answer?: string | null;
          answered_at?: string | null;
          answered_by?: string | null;
          answered_via?: string | null;
          asked_by?: string | null;
          assignee_id?: string | null;
          created_at?: string;
          escalate_to?: string | null;
          expires_at?: string;
          id?: string;
          idea_id?: string | null;
          job_id?: string | null;
          kind?: Database["public"]["Enums"]["question_kind"];
          on_expiry?: Database["public"]["Enums"]["question_expiry"];
          options?: NonNullable<Json>;
          park?: boolean;
          plan?: string | null;
          product_id: string;
          question: string;
          reach?: string | null;
          reader_id?: string | null;
          recommended_option?: number | null;
          sprint_run_id?: string | null;
          status?: Database["public"]["Enums"]["agent_question_status"];
          story_id?: string | null;
          task_id?: string | null;
          updated_at?: string;
        };
        Update: {
          answer?: string | null;
          answered_at?: string | null;
          answered_by?: string | null;
          answered_via?: string | null;
          asked_by?: string | null;
          assignee_id?: string | null;
          created_at?: string;
          escalate_to?: string | null;
          expires_at?: string;
          id?: string;
          idea_id?: string | null;
          job_id?: string | null;
          kind?: Database["public"]["Enums"]["question_kind"];
          on_expiry?: Database["public"]["Enums"]["question_expiry"];
          options?: NonNullable<Json>;
          park?: boolean;
          plan?: string | null;
          product_id?: string;
          question?: string;
          reach?: string | null;
          reader_id?: string | null;
          recommended_option?: number | null;
          sprint_run_id?: string | null;
          status?: Database["public"]["Enums"]["agent_question_status"];
          story_id?: string | null;
          task_id?: string | null;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "agent_questions_answered_by_fkey";
            columns: ["answered_by"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_questions_asked_by_fkey";
            columns: ["asked_by"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_questions_assignee_id_fkey";
            columns: ["assignee_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_questions_escalate_to_fkey";
            columns: ["escalate_to"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_questions_idea_id_fkey";
            columns: ["idea_id"];
            isOneToOne: false;
            referencedRelation: "ideas";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_questions_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_questions_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_questions_reader_id_fkey";
            columns: ["reader_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_questions_sprint_run_id_fkey";
            columns: ["sprint_run_id"];
            isOneToOne: false;
            referencedRelation: "sprint_runs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_questions_story_id_fkey";
            columns: ["story_id"];
            isOneToOne: false;
            referencedRelation: "stories";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_questions_task_id_fkey";
            columns: ["task_id"];
            isOneToOne: false;
            referencedRelation: "tasks";
            referencedColumns: ["id"];
          },
        ];
      };
      agent_workers: {
        Row: {
          agents: Json | null;
          also_repos: NonNullable<Json>;
          confinement: Database["public"]["Enums"]["confinement"];
          created_at: string;
          hostname: string | null;
          id: string;
          last_quota_check_at: string | null;
          last_quota_pct: number | null;
          last_seen_at: string;
          name: string;
          offers: NonNullable<Json>;
          previews: number;
          product_id: string | null;
          stopped_at: string | null;
          user_id: string;
          version: string | null;
        };
        ComputedFields: never;
        Insert: {
          agents?: Json | null;
          also_repos?: NonNullable<Json>;
          confinement?: Database["public"]["Enums"]["confinement"];
          created_at?: string;
          hostname?: string | null;
          id?: string;
          last_quota_check_at?: string | null;
          last_quota_pct?: number | null;
          last_seen_at?: string;
          name: string;
          offers?: NonNullable<Json>;
          previews?: number;
          product_id?: string | null;
          stopped_at?: string | null;
          user_id: string;
          version?: string | null;
        };
        Update: {
          agents?: Json | null;
          also_repos?: NonNullable<Json>;
          confinement?: Database["public"]["Enums"]["confinement"];
          created_at?: string;
          hostname?: string | null;
          id?: string;
          last_quota_check_at?: string | null;
          last_quota_pct?: number | null;
          last_seen_at?: string;
          name?: string;
          offers?: NonNullable<Json>;
          previews?: number;
          product_id?: string | null;
          stopped_at?: string | null;
          user_id?: string;
          version?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "agent_workers_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      api_tokens: {
        Row: {
          audience: string | null;
          client_id: string | null;
          created_at: string;
          expires_at: string | null;
          first_used_at: string | null;
          id: string;
          label: string;
          last_used_at: string | null;
          prefix: string;
          product_ids: string[] | null;
          refresh_expires_at: string | null;
          refresh_hash: string | null;
          revoked_at: string | null;
          scopes: string[] | null;
          session_id: string | null;
          token_hash: string;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          audience?: string | null;
          client_id?: string | null;
          created_at?: string;
          expires_at?: string | null;
          first_used_at?: string | null;
          id?: string;
          label: string;
          last_used_at?: string | null;
          prefix: string;
          product_ids?: string[] | null;
          refresh_expires_at?: string | null;
          refresh_hash?: string | null;
          revoked_at?: string | null;
          scopes?: string[] | null;
          session_id?: string | null;
          token_hash: string;
          user_id: string;
        };
        Update: {
          audience?: string | null;
          client_id?: string | null;
          created_at?: string;
          expires_at?: string | null;
          first_used_at?: string | null;
          id?: string;
          label?: string;
          last_used_at?: string | null;
          prefix?: string;
          product_ids?: string[] | null;
          refresh_expires_at?: string | null;
          refresh_hash?: string | null;
          revoked_at?: string | null;
          scopes?: string[] | null;
          session_id?: string | null;
          token_hash?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "api_tokens_session_id_fkey";
            columns: ["session_id"];
            isOneToOne: false;
            referencedRelation: "user_sessions";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "api_tokens_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      audit_events: {
        Row: {
          actor_id: string | null;
          created_at: string;
          detail: NonNullable<Json>;
          id: string;
          ip: string | null;
          kind: string;
          user_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          actor_id?: string | null;
          created_at?: string;
          detail?: NonNullable<Json>;
          id?: string;
          ip?: string | null;
          kind: string;
          user_id?: string | null;
        };
        Update: {
          actor_id?: string | null;
          created_at?: string;
          detail?: NonNullable<Json>;
          id?: string;
          ip?: string | null;
          kind?: string;
          user_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "audit_events_actor_id_fkey";
            columns: ["actor_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "audit_events_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      budget_reservations: {
        Row: {
          amount: number;
          attempt: number;
          job_id: string;
          product_id: string;
          seen: number;
          step: number;
          unit: string;
        };
        ComputedFields: never;
        Insert: {
          amount?: number;
          attempt: number;
          job_id: string;
          product_id: string;
          seen?: number;
          step?: number;
          unit: string;
        };
        Update: {
          amount?: number;
          attempt?: number;
          job_id?: string;
          product_id?: string;
          seen?: number;
          step?: number;
          unit?: string;
        };
        Relationships: [
          {
            foreignKeyName: "budget_reservations_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "budget_reservations_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      budget_settings: {
        Row: {
          expected_cost: number;
          expected_tokens: number;
          product_id: string;
          time_zone: string;
          unreported: string;
        };
        ComputedFields: never;
        Insert: {
          expected_cost?: number;
          expected_tokens?: number;
          product_id: string;
          time_zone?: string;
          unreported?: string;
        };
        Update: {
          expected_cost?: number;
          expected_tokens?: number;
          product_id?: string;
          time_zone?: string;
          unreported?: string;
        };
        Relationships: [
          {
            foreignKeyName: "budget_settings_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: true;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      budgets: {
        Row: {
          amount: number;
          created_at: string;
          created_by: string | null;
          due_at: string | null;
          finish_job_ids: string[];
          id: string;
          overshoot: number;
          period: string | null;
          product_id: string;
          reached_at: string | null;
          scope: string;
          spent_before: number;
          sprint_id: string | null;
          sprint_run_id: string | null;
          task_id: string | null;
          unit: string;
          updated_at: string;
          warned_at: string | null;
        };
        ComputedFields: never;
        Insert: {
          amount: number;
          created_at?: string;
          created_by?: string | null;
          due_at?: string | null;
          finish_job_ids?: string[];
          id?: string;
          overshoot?: number;
          period?: string | null;
          product_id: string;
          reached_at?: string | null;
          scope: string;
          spent_before?: number;
          sprint_id?: string | null;
          sprint_run_id?: string | null;
          task_id?: string | null;
          unit: string;
          updated_at?: string;
          warned_at?: string | null;
        };
        Update: {
          amount?: number;
          created_at?: string;
          created_by?: string | null;
          due_at?: string | null;
          finish_job_ids?: string[];
          id?: string;
          overshoot?: number;
          period?: string | null;
          product_id?: string;
          reached_at?: string | null;
          scope?: string;
          spent_before?: number;
          sprint_id?: string | null;
          sprint_run_id?: string | null;
          task_id?: string | null;
          unit?: string;
          updated_at?: string;
          warned_at?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "budgets_created_by_fkey";
            columns: ["created_by"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "budgets_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "budgets_sprint_id_fkey";
            columns: ["sprint_id"];
            isOneToOne: false;
            referencedRelation: "sprints";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "budgets_sprint_run_id_fkey";
            columns: ["sprint_run_id"];
            isOneToOne: false;
            referencedRelation: "sprint_runs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "budgets_task_id_fkey";
            columns: ["task_id"];
            isOneToOne: false;
            referencedRelation: "tasks";
            referencedColumns: ["id"];
          },
        ];
      };
      change_indexes: {
        Row: {
          head_sha: string;
          id: string;
          known_changes: number;
          product_id: string;
          repository: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          head_sha: string;
          id?: string;
          known_changes?: number;
          product_id: string;
          repository: string;
          updated_at?: string;
        };
        Update: {
          head_sha?: string;
          id?: string;
          known_changes?: number;
          product_id?: string;
          repository?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "change_indexes_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      chat_connections: {
        Row: {
          bot_name: string | null;
          held_until: string;
          holder: string;
          last_error: string | null;
          last_error_at: string | null;
          reason: string | null;
          service: string;
          state: string;
        };
        ComputedFields: never;
        Insert: {
          bot_name?: string | null;
          held_until: string;
          holder: string;
          last_error?: string | null;
          last_error_at?: string | null;
          reason?: string | null;
          service: string;
          state: string;
        };
        Update: {
          bot_name?: string | null;
          held_until?: string;
          holder?: string;
          last_error?: string | null;
          last_error_at?: string | null;
          reason?: string | null;
          service?: string;
          state?: string;
        };
        Relationships: [];
      };
      chat_events: {
        Row: { created_at: string; event_id: string; reply: NonNullable<Json>; service: string };
        ComputedFields: never;
        Insert: { created_at?: string; event_id: string; reply?: NonNullable<Json>; service: string };
        Update: { created_at?: string; event_id?: string; reply?: NonNullable<Json>; service?: string };
        Relationships: [];
      };
      chat_messages: {
        Row: {
          attempts: number;
          chat_id: string;
          id: string;
          key: string;
          next_attempt_at: string;
          question_id: string;
          ref: string | null;
          sent_at: string | null;
          snoozed_until: string | null;
          state: string;
        };
        ComputedFields: never;
        Insert: {
          attempts?: number;
          chat_id: string;
          id?: string;
          key?: string;
          next_attempt_at?: string;
          question_id: string;
          ref?: string | null;
          sent_at?: string | null;
          snoozed_until?: string | null;
          state?: string;
        };
        Update: {
          attempts?: number;
          chat_id?: string;
          id?: string;
          key?: string;
          next_attempt_at?: string;
          question_id?: string;
          ref?: string | null;
          sent_at?: string | null;
          snoozed_until?: string | null;
          state?: string;
        };
        Relationships: [
          {
            foreignKeyName: "chat_messages_chat_id_fkey";
            columns: ["chat_id"];
            isOneToOne: false;
            referencedRelation: "chats";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "chat_messages_question_id_fkey";
            columns: ["question_id"];
            isOneToOne: false;
            referencedRelation: "agent_questions";
            referencedColumns: ["id"];
          },
        ];
      };
      chats: {
        Row: {
          account_id: string | null;
          account_name: string | null;
          bundle: boolean;
          code_expires_at: string;
          code_hash: string | null;
          confirmed_at: string | null;
          created_at: string;
          id: string;
          last_error: string | null;
          last_sent_at: string | null;
          products: string[] | null;
          quiet_from: string | null;
          quiet_to: string | null;
          room: string | null;
          service: string;
          time_zone: string;
          titles: boolean;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          account_id?: string | null;
          account_name?: string | null;
          bundle?: boolean;
          code_expires_at: string;
          code_hash?: string | null;
          confirmed_at?: string | null;
          created_at?: string;
          id?: string;
          last_error?: string | null;
          last_sent_at?: string | null;
          products?: string[] | null;
          quiet_from?: string | null;
          quiet_to?: string | null;
          room?: string | null;
          service: string;
          time_zone?: string;
          titles?: boolean;
          user_id: string;
        };
        Update: {
          account_id?: string | null;
          account_name?: string | null;
          bundle?: boolean;
          code_expires_at?: string;
          code_hash?: string | null;
          confirmed_at?: string | null;
          created_at?: string;
          id?: string;
          last_error?: string | null;
          last_sent_at?: string | null;
          products?: string[] | null;
          quiet_from?: string | null;
          quiet_to?: string | null;
          room?: string | null;
          service?: string;
          time_zone?: string;
          titles?: boolean;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "chats_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      code_counters: {
        Row: { kind: string; last_number: number; scope_id: string };
        ComputedFields: never;
        Insert: { kind: string; last_number?: number; scope_id: string };
        Update: { kind?: string; last_number?: number; scope_id?: string };
        Relationships: [];
      };
      comment_mentions: {
        Row: { comment_id: string; created_at: string; user_id: string };
        ComputedFields: never;
        Insert: { comment_id: string; created_at?: string; user_id: string };
        Update: { comment_id?: string; created_at?: string; user_id?: string };
        Relationships: [
          {
            foreignKeyName: "comment_mentions_comment_id_fkey";
            columns: ["comment_id"];
            isOneToOne: false;
            referencedRelation: "comments";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "comment_mentions_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      comments: {
        Row: {
          author: string;
          author_id: string | null;
          body: string;
          created_at: string;
          edited_at: string | null;
          id: string;
          pbi_id: string | null;
          product_id: string;
          story_id: string | null;
          task_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          author: string;
          author_id?: string | null;
          body: string;
          created_at?: string;
          edited_at?: string | null;
          id?: string;
          pbi_id?: string | null;
          product_id: string;
          story_id?: string | null;
          task_id?: string | null;
        };
        Update: {
          author?: string;
          author_id?: string | null;
          body?: string;
          created_at?: string;
          edited_at?: string | null;
          id?: string;
          pbi_id?: string | null;
          product_id?: string;
          story_id?: string | null;
          task_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "comments_author_id_fkey";
            columns: ["author_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "comments_pbi_fkey";
            columns: ["pbi_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "pbis";
            referencedColumns: ["id", "product_id"];
          },
          {
            foreignKeyName: "comments_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "comments_story_fkey";
            columns: ["story_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "stories";
            referencedColumns: ["id", "product_id"];
          },
          {
            foreignKeyName: "comments_task_fkey";
            columns: ["task_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "tasks";
            referencedColumns: ["id", "product_id"];
          },
        ];
      };
      evidence: {
        Row: {
          attempt: number | null;
          base_exit_code: number | null;
          base_file_id: string | null;
          command: string | null;
          created_at: string;
          criterion: string;
          criterion_text: string;
          excerpt: string | null;
          exit_code: number | null;
          file_id: string | null;
          grade: Database["public"]["Enums"]["evidence_grade"];
          guards: boolean;
          head_sha: string | null;
          id: string;
          job_id: string | null;
          kind: Database["public"]["Enums"]["evidence_kind"];
          observed_by: string;
          passed_before: boolean;
          product_id: string;
          seq: number;
          story_id: string;
          url: string | null;
          user_id: string | null;
          verdict: Database["public"]["Enums"]["evidence_verdict"];
          voided_by: string | null;
          worker_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          attempt?: number | null;
          base_exit_code?: number | null;
          base_file_id?: string | null;
          command?: string | null;
          created_at?: string;
          criterion: string;
          criterion_text: string;
          excerpt?: string | null;
          exit_code?: number | null;
          file_id?: string | null;
          grade: Database["public"]["Enums"]["evidence_grade"];
          guards?: boolean;
          head_sha?: string | null;
          id?: string;
          job_id?: string | null;
          kind: Database["public"]["Enums"]["evidence_kind"];
          observed_by: string;
          passed_before?: boolean;
          product_id: string;
          seq?: never;
          story_id: string;
          url?: string | null;
          user_id?: string | null;
          verdict: Database["public"]["Enums"]["evidence_verdict"];
          voided_by?: string | null;
          worker_id?: string | null;
        };
        Update: {
          attempt?: number | null;
          base_exit_code?: number | null;
          base_file_id?: string | null;
          command?: string | null;
          created_at?: string;
          criterion?: string;
          criterion_text?: string;
          excerpt?: string | null;
          exit_code?: number | null;
          file_id?: string | null;
          grade?: Database["public"]["Enums"]["evidence_grade"];
          guards?: boolean;
          head_sha?: string | null;
          id?: string;
          job_id?: string | null;
          kind?: Database["public"]["Enums"]["evidence_kind"];
          observed_by?: string;
          passed_before?: boolean;
          product_id?: string;
          seq?: never;
          story_id?: string;
          url?: string | null;
          user_id?: string | null;
          verdict?: Database["public"]["Enums"]["evidence_verdict"];
          voided_by?: string | null;
          worker_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "evidence_base_file_id_fkey";
            columns: ["base_file_id"];
            isOneToOne: false;
            referencedRelation: "files";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "evidence_file_id_fkey";
            columns: ["file_id"];
            isOneToOne: false;
            referencedRelation: "files";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "evidence_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "evidence_story_id_fkey";
            columns: ["story_id"];
            isOneToOne: false;
            referencedRelation: "stories";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "evidence_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "evidence_worker_id_fkey";
            columns: ["worker_id"];
            isOneToOne: false;
            referencedRelation: "agent_workers";
            referencedColumns: ["id"];
          },
        ];
      };
      file_contents: {
        Row: { content: string; file_id: string };
        ComputedFields: never;
        Insert: { content: string; file_id: string };
        Update: { content?: string; file_id?: string };
        Relationships: [
          {
            foreignKeyName: "file_contents_file_id_fkey";
            columns: ["file_id"];
            isOneToOne: true;
            referencedRelation: "files";
            referencedColumns: ["id"];
          },
        ];
      };
      files: {
        Row: {
          comment_id: string | null;
          created_at: string;
          created_by: string | null;
          id: string;
          job_id: string | null;
          name: string;
          product_id: string;
          size: number;
          story_id: string | null;
          task_id: string | null;
          type: string;
        };
        ComputedFields: never;
        Insert: {
          comment_id?: string | null;
          created_at?: string;
          created_by?: string | null;
          id?: string;
          job_id?: string | null;
          name: string;
          product_id: string;
          size: number;
          story_id?: string | null;
          task_id?: string | null;
          type: string;
        };
        Update: {
          comment_id?: string | null;
          created_at?: string;
          created_by?: string | null;
          id?: string;
          job_id?: string | null;
          name?: string;
          product_id?: string;
          size?: number;
          story_id?: string | null;
          task_id?: string | null;
          type?: string;
        };
        Relationships: [
          {
            foreignKeyName: "files_comment_id_fkey";
            columns: ["comment_id"];
            isOneToOne: false;
            referencedRelation: "comments";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "files_created_by_fkey";
            columns: ["created_by"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "files_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "files_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "files_story_fkey";
            columns: ["story_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "stories";
            referencedColumns: ["id", "product_id"];
          },
          {
            foreignKeyName: "files_task_fkey";
            columns: ["task_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "tasks";
            referencedColumns: ["id", "product_id"];
          },
        ];
      };
      forecasts: {
        Row: {
          by_words: string[];
          changed: string[] | null;
          claimed_at: string | null;
          digest: string;
          index_id: string;
          known_changes: number;
          main_sha: string;
          passed_over: number;
          ranked: string[];
          recent: string[];
          settled_at: string | null;
          support: number;
          task_id: string;
          touches: NonNullable<Json>;
        };
        ComputedFields: never;
        Insert: {
          by_words: string[];
          changed?: string[] | null;
          claimed_at?: string | null;
          digest: string;
          index_id: string;
          known_changes: number;
          main_sha: string;
          passed_over?: number;
          ranked: string[];
          recent: string[];
          settled_at?: string | null;
          support: number;
          task_id: string;
          touches: NonNullable<Json>;
        };
        Update: {
          by_words?: string[];
          changed?: string[] | null;
          claimed_at?: string | null;
          digest?: string;
          index_id?: string;
          known_changes?: number;
          main_sha?: string;
          passed_over?: number;
          ranked?: string[];
          recent?: string[];
          settled_at?: string | null;
          support?: number;
          task_id?: string;
          touches?: NonNullable<Json>;
        };
        Relationships: [
          {
            foreignKeyName: "forecasts_index_id_fkey";
            columns: ["index_id"];
            isOneToOne: false;
            referencedRelation: "change_indexes";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "forecasts_task_id_fkey";
            columns: ["task_id"];
            isOneToOne: true;
            referencedRelation: "tasks";
            referencedColumns: ["id"];
          },
        ];
      };
      fresh_starts: {
        Row: {
          created_at: string;
          id: string;
          left_branches: NonNullable<Json>;
          product_id: string;
          started_by: string;
          story_id: string;
          user_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          id?: string;
          left_branches: NonNullable<Json>;
          product_id: string;
          started_by: string;
          story_id: string;
          user_id?: string | null;
        };
        Update: {
          created_at?: string;
          id?: string;
          left_branches?: NonNullable<Json>;
          product_id?: string;
          started_by?: string;
          story_id?: string;
          user_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "fresh_starts_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "fresh_starts_story_id_fkey";
            columns: ["story_id"];
            isOneToOne: false;
            referencedRelation: "stories";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "fresh_starts_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      idea_logs: {
        Row: { content: string; created_at: string; id: string; idea_id: string; kind: string; user_id: string | null };
        ComputedFields: never;
        Insert: {
          content?: string;
          created_at?: string;
          id?: string;
          idea_id: string;
          kind: string;
          user_id?: string | null;
        };
        Update: {
          content?: string;
          created_at?: string;
          id?: string;
          idea_id?: string;
          kind?: string;
          user_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "idea_logs_idea_id_fkey";
            columns: ["idea_id"];
            isOneToOne: false;
            referencedRelation: "ideas";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "idea_logs_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      idea_products: {
        Row: { created_at: string; idea_id: string; product_id: string };
        ComputedFields: never;
        Insert: { created_at?: string; idea_id: string; product_id: string };
        Update: { created_at?: string; idea_id?: string; product_id?: string };
        Relationships: [
          {
            foreignKeyName: "idea_products_idea_id_fkey";
            columns: ["idea_id"];
            isOneToOne: false;
            referencedRelation: "ideas";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "idea_products_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      ideas: {
        Row: {
          archived_at: string | null;
          code: string;
          created_at: string;
          description: string;
          field_versions: NonNullable<Json>;
          id: string;
          pbi_id: string | null;
          product_id: string;
          status: Database["public"]["Enums"]["idea_status"];
          title: string;
          updated_at: string;
          user_id: string;
          version: number;
        };
        ComputedFields: never;
        Insert: {
          archived_at?: string | null;
          code: string;
          created_at?: string;
          description?: string;
          field_versions?: NonNullable<Json>;
          id?: string;
          pbi_id?: string | null;
          product_id: string;
          status?: Database["public"]["Enums"]["idea_status"];
          title: string;
          updated_at?: string;
          user_id?: string;
          version?: number;
        };
        Update: {
          archived_at?: string | null;
          code?: string;
          created_at?: string;
          description?: string;
          field_versions?: NonNullable<Json>;
          id?: string;
          pbi_id?: string | null;
          product_id?: string;
          status?: Database["public"]["Enums"]["idea_status"];
          title?: string;
          updated_at?: string;
          user_id?: string;
          version?: number;
        };
        Relationships: [
          {
            foreignKeyName: "ideas_pbi_id_fkey";
            columns: ["pbi_id"];
            isOneToOne: false;
            referencedRelation: "pbis";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "ideas_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "ideas_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      idempotency_keys: {
        Row: {
          answer: string | null;
          created_at: string;
          fingerprint: string;
          key: string;
          product_id: string | null;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          answer?: string | null;
          created_at: string;
          fingerprint: string;
          key: string;
          product_id?: string | null;
          user_id: string;
        };
        Update: {
          answer?: string | null;
          created_at?: string;
          fingerprint?: string;
          key?: string;
          product_id?: string | null;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "idempotency_keys_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      imports: {
        Row: {
          created_at: string;
          error: string | null;
          id: string;
          report: Json | null;
          rows: number;
          state: string;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          error?: string | null;
          id?: string;
          report?: Json | null;
          rows: number;
          state?: string;
          user_id: string;
        };
        Update: {
          created_at?: string;
          error?: string | null;
          id?: string;
          report?: Json | null;
          rows?: number;
          state?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "imports_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      inbox_marks: {
        Row: {
          item_at: string;
          item_id: string;
          item_kind: string;
          later_until: string | null;
          marked_at: string;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          item_at: string;
          item_id: string;
          item_kind: string;
          later_until?: string | null;
          marked_at?: string;
          user_id: string;
        };
        Update: {
          item_at?: string;
          item_id?: string;
          item_kind?: string;
          later_until?: string | null;
          marked_at?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "inbox_marks_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      intake_hooks: {
        Row: {
          created_at: string;
          created_by: string | null;
          id: string;
          key_hash: string;
          last_item_at: string | null;
          product_id: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          created_by?: string | null;
          id: string;
          key_hash: string;
          last_item_at?: string | null;
          product_id: string;
        };
        Update: {
          created_at?: string;
          created_by?: string | null;
          id?: string;
          key_hash?: string;
          last_item_at?: string | null;
          product_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "intake_hooks_created_by_fkey";
            columns: ["created_by"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "intake_hooks_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: true;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      issue_notes: {
        Row: {
          created_at: string;
          deed: string;
          finished_at: string | null;
          id: string;
          lease: string;
          lease_until: string;
          product_id: string;
          state: string;
          tries: number;
          url: string;
          words: string | null;
          worker: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          deed: string;
          finished_at?: string | null;
          id?: string;
          lease?: string;
          lease_until: string;
          product_id: string;
          state?: string;
          tries?: number;
          url: string;
          words?: string | null;
          worker: string;
        };
        Update: {
          created_at?: string;
          deed?: string;
          finished_at?: string | null;
          id?: string;
          lease?: string;
          lease_until?: string;
          product_id?: string;
          state?: string;
          tries?: number;
          url?: string;
          words?: string | null;
          worker?: string;
        };
        Relationships: [
          {
            foreignKeyName: "issue_notes_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      job_attempts: {
        Row: {
          agent: string | null;
          attempt: number;
          confinement: Database["public"]["Enums"]["confinement"];
          dropped_from: number | null;
          dropped_to: number | null;
          ended_at: string | null;
          head_sha: string | null;
          job_id: string;
          kept_ref: string | null;
          last_seq: number;
          outcome: string | null;
          output_bytes: number;
          product_id: string;
          references: NonNullable<Json>;
          session_id: string | null;
          started_at: string;
          told_at: string | null;
          worker_id: string | null;
          worker_name: string;
        };
        ComputedFields: never;
        Insert: {
          agent?: string | null;
          attempt: number;
          confinement?: Database["public"]["Enums"]["confinement"];
          dropped_from?: number | null;
          dropped_to?: number | null;
          ended_at?: string | null;
          head_sha?: string | null;
          job_id: string;
          kept_ref?: string | null;
          last_seq?: number;
          outcome?: string | null;
          output_bytes?: number;
          product_id: string;
          references?: NonNullable<Json>;
          session_id?: string | null;
          started_at: string;
          told_at?: string | null;
          worker_id?: string | null;
          worker_name: string;
        };
        Update: {
          agent?: string | null;
          attempt?: number;
          confinement?: Database["public"]["Enums"]["confinement"];
          dropped_from?: number | null;
          dropped_to?: number | null;
          ended_at?: string | null;
          head_sha?: string | null;
          job_id?: string;
          kept_ref?: string | null;
          last_seq?: number;
          outcome?: string | null;
          output_bytes?: number;
          product_id?: string;
          references?: NonNullable<Json>;
          session_id?: string | null;
          started_at?: string;
          told_at?: string | null;
          worker_id?: string | null;
          worker_name?: string;
        };
        Relationships: [
          {
            foreignKeyName: "job_attempts_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "job_attempts_worker_id_fkey";
            columns: ["worker_id"];
            isOneToOne: false;
            referencedRelation: "agent_workers";
            referencedColumns: ["id"];
          },
        ];
      };
      job_comments: {
        Row: {
          attempt: number;
          author: string;
          author_id: string | null;
          body: string;
          created_at: string;
          id: string;
          job_id: string | null;
          line: number;
          line_text: string;
          path: string;
          product_id: string;
          review_id: string | null;
          side: string;
        };
        ComputedFields: never;
        Insert: {
          attempt: number;
          author: string;
          author_id?: string | null;
          body: string;
          created_at?: string;
          id?: string;
          job_id?: string | null;
          line: number;
          line_text: string;
          path: string;
          product_id: string;
          review_id?: string | null;
          side: string;
        };
        Update: {
          attempt?: number;
          author?: string;
          author_id?: string | null;
          body?: string;
          created_at?: string;
          id?: string;
          job_id?: string | null;
          line?: number;
          line_text?: string;
          path?: string;
          product_id?: string;
          review_id?: string | null;
          side?: string;
        };
        Relationships: [
          {
            foreignKeyName: "job_comments_author_id_fkey";
            columns: ["author_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "job_comments_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "job_comments_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "job_comments_review_id_fkey";
            columns: ["review_id"];
            isOneToOne: false;
            referencedRelation: "job_reviews";
            referencedColumns: ["id"];
          },
        ];
      };
      job_conflicts: {
        Row: {
          attempt: number;
          branch: string;
          created_at: string;
          decision: string;
          files: NonNullable<Json>;
          id: string;
          job_id: string;
          kind: string;
          other_job_id: string | null;
          ours_sha: string;
          product_id: string;
          theirs_sha: string;
        };
        ComputedFields: never;
        Insert: {
          attempt: number;
          branch: string;
          created_at?: string;
          decision: string;
          files: NonNullable<Json>;
          id?: string;
          job_id: string;
          kind: string;
          other_job_id?: string | null;
          ours_sha: string;
          product_id: string;
          theirs_sha: string;
        };
        Update: {
          attempt?: number;
          branch?: string;
          created_at?: string;
          decision?: string;
          files?: NonNullable<Json>;
          id?: string;
          job_id?: string;
          kind?: string;
          other_job_id?: string | null;
          ours_sha?: string;
          product_id?: string;
          theirs_sha?: string;
        };
        Relationships: [
          {
            foreignKeyName: "job_conflicts_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "job_conflicts_other_job_id_fkey";
            columns: ["other_job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "job_conflicts_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      job_diffs: {
        Row: {
          additions: number;
          attempt: number;
          base_sha: string;
          bytes: number;
          created_at: string;
          deletions: number;
          files: NonNullable<Json>;
          head_sha: string;
          job_id: string;
          marks: NonNullable<Json>;
          product_id: string;
        };
        ComputedFields: never;
        Insert: {
          additions: number;
          attempt: number;
          base_sha: string;
          bytes: number;
          created_at?: string;
          deletions: number;
          files: NonNullable<Json>;
          head_sha: string;
          job_id: string;
          marks?: NonNullable<Json>;
          product_id: string;
        };
        Update: {
          additions?: number;
          attempt?: number;
          base_sha?: string;
          bytes?: number;
          created_at?: string;
          deletions?: number;
          files?: NonNullable<Json>;
          head_sha?: string;
          job_id?: string;
          marks?: NonNullable<Json>;
          product_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "job_diffs_attempt_fkey";
            columns: ["job_id", "attempt"];
            isOneToOne: true;
            referencedRelation: "job_attempts";
            referencedColumns: ["job_id", "attempt"];
          },
          {
            foreignKeyName: "job_diffs_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      job_guides: {
        Row: { attempt: number; chapters: NonNullable<Json>; head_sha: string; job_id: string; product_id: string };
        ComputedFields: never;
        Insert: { attempt: number; chapters: NonNullable<Json>; head_sha: string; job_id: string; product_id: string };
        Update: {
          attempt?: number;
          chapters?: NonNullable<Json>;
          head_sha?: string;
          job_id?: string;
          product_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "job_guides_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "job_guides_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      job_outputs: {
        Row: {
          at: string;
          attempt: number;
          created_at: string;
          job_id: string;
          kind: string;
          path: string | null;
          seq: number;
          status: string | null;
          text: string;
          title: string | null;
        };
        ComputedFields: never;
        Insert: {
          at: string;
          attempt: number;
          created_at?: string;
          job_id: string;
          kind: string;
          path?: string | null;
          seq: number;
          status?: string | null;
          text: string;
          title?: string | null;
        };
        Update: {
          at?: string;
          attempt?: number;
          created_at?: string;
          job_id?: string;
          kind?: string;
          path?: string | null;
          seq?: number;
          status?: string | null;
          text?: string;
          title?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "job_outputs_attempt_fkey";
            columns: ["job_id", "attempt"];
            isOneToOne: false;
            referencedRelation: "job_attempts";
            referencedColumns: ["job_id", "attempt"];
          },
        ];
      };
      job_reviews: {
        Row: {
          attempt: number;
          author: string;
          author_id: string | null;
          created_at: string;
          first_seen_at: string | null;
          handed_in_at: string | null;
          head_sha: string | null;
          id: string;
          job_id: string | null;
          product_id: string;
          summary: string;
          task_id: string | null;
          verdict: string;
        };
        ComputedFields: never;
        Insert: {
          attempt: number;
          author: string;
          author_id?: string | null;
          created_at?: string;
          first_seen_at?: string | null;
          handed_in_at?: string | null;
          head_sha?: string | null;
          id?: string;
          job_id?: string | null;
          product_id: string;
          summary: string;
          task_id?: string | null;
          verdict: string;
        };
        Update: {
          attempt?: number;
          author?: string;
          author_id?: string | null;
          created_at?: string;
          first_seen_at?: string | null;
          handed_in_at?: string | null;
          head_sha?: string | null;
          id?: string;
          job_id?: string | null;
          product_id?: string;
          summary?: string;
          task_id?: string | null;
          verdict?: string;
        };
        Relationships: [
          {
            foreignKeyName: "job_reviews_author_id_fkey";
            columns: ["author_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "job_reviews_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "job_reviews_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "job_reviews_task_id_fkey";
            columns: ["task_id"];
            isOneToOne: false;
            referencedRelation: "tasks";
            referencedColumns: ["id"];
          },
        ];
      };
      known_changes: {
        Row: {
          at: string;
          index_id: string;
          paths: string[];
          place: number;
          reverts: string | null;
          sha: string;
          task_id: string | null;
          title: string;
          words: string[];
        };
        ComputedFields: never;
        Insert: {
          at: string;
          index_id: string;
          paths: string[];
          place: number;
          reverts?: string | null;
          sha: string;
          task_id?: string | null;
          title: string;
          words: string[];
        };
        Update: {
          at?: string;
          index_id?: string;
          paths?: string[];
          place?: number;
          reverts?: string | null;
          sha?: string;
          task_id?: string | null;
          title?: string;
          words?: string[];
        };
        Relationships: [
          {
            foreignKeyName: "known_changes_index_id_fkey";
            columns: ["index_id"];
            isOneToOne: false;
            referencedRelation: "change_indexes";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "known_changes_task_id_fkey";
            columns: ["task_id"];
            isOneToOne: false;
            referencedRelation: "tasks";
            referencedColumns: ["id"];
          },
        ];
      };
      known_paths: {
        Row: { index_id: string; name: string; path: string; recent: number; words: string[] };
        ComputedFields: never;
        Insert: { index_id: string; name: string; path: string; recent: number; words: string[] };
        Update: { index_id?: string; name?: string; path?: string; recent?: number; words?: string[] };
        Relationships: [
          {
            foreignKeyName: "known_paths_index_id_fkey";
            columns: ["index_id"];
            isOneToOne: false;
            referencedRelation: "change_indexes";
            referencedColumns: ["id"];
          },
        ];
      };
      labels: {
        Row: { color: string; created_at: string; id: string; name: string; product_id: string; updated_at: string };
        ComputedFields: never;
        Insert: {
          color: string;
          created_at?: string;
          id?: string;
          name: string;
          product_id: string;
          updated_at?: string;
        };
        Update: {
          color?: string;
          created_at?: string;
          id?: string;
          name?: string;
          product_id?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "labels_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      landings: {
        Row: {
          branch: string;
          created_at: string;
          finished_at: string | null;
          head_sha: string | null;
          id: string;
          job_id: string;
          lease: string;
          lease_until: string;
          ours_sha: string;
          product_id: string;
          state: string;
          tries: number;
          updated_at: string;
          words: string | null;
          worker: string;
        };
        ComputedFields: never;
        Insert: {
          branch: string;
          created_at?: string;
          finished_at?: string | null;
          head_sha?: string | null;
          id?: string;
          job_id: string;
          lease?: string;
          lease_until: string;
          ours_sha: string;
          product_id: string;
          state?: string;
          tries?: number;
          updated_at?: string;
          words?: string | null;
          worker: string;
        };
        Update: {
          branch?: string;
          created_at?: string;
          finished_at?: string | null;
          head_sha?: string | null;
          id?: string;
          job_id?: string;
          lease?: string;
          lease_until?: string;
          ours_sha?: string;
          product_id?: string;
          state?: string;
          tries?: number;
          updated_at?: string;
          words?: string | null;
          worker?: string;
        };
        Relationships: [
          {
            foreignKeyName: "landings_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "landings_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      lessons: {
        Row: {
          accepted_by: string | null;
          after: number[];
          before: number[];
          cause: string;
          counted_from: string | null;
          created_at: string;
          has_effect: boolean | null;
          id: string;
          job_id: string | null;
          label_ids: string[];
          product_id: string;
          since: string | null;
          status: string;
          task_id: string | null;
          text: string;
          updated_at: string;
          weighed_at: string | null;
        };
        ComputedFields: never;
        Insert: {
          accepted_by?: string | null;
          after?: number[];
          before?: number[];
          cause: string;
          counted_from?: string | null;
          created_at?: string;
          has_effect?: boolean | null;
          id?: string;
          job_id?: string | null;
          label_ids?: string[];
          product_id: string;
          since?: string | null;
          status?: string;
          task_id?: string | null;
          text: string;
          updated_at?: string;
          weighed_at?: string | null;
        };
        Update: {
          accepted_by?: string | null;
          after?: number[];
          before?: number[];
          cause?: string;
          counted_from?: string | null;
          created_at?: string;
          has_effect?: boolean | null;
          id?: string;
          job_id?: string | null;
          label_ids?: string[];
          product_id?: string;
          since?: string | null;
          status?: string;
          task_id?: string | null;
          text?: string;
          updated_at?: string;
          weighed_at?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "lessons_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "lessons_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "lessons_task_id_fkey";
            columns: ["task_id"];
            isOneToOne: false;
            referencedRelation: "tasks";
            referencedColumns: ["id"];
          },
        ];
      };
      login_pairings: {
        Row: {
          approved_at: string | null;
          approved_in: string | null;
          check_code: string;
          consumed_at: string | null;
          created_at: string;
          desktop_ip: string | null;
          desktop_token_hash: string;
          desktop_ua: string | null;
          expires_at: string;
          failed_attempts: number;
          id: string;
          mobile_secret_hash: string;
          session_id: string | null;
          status: Database["public"]["Enums"]["pairing_status"];
          user_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          approved_at?: string | null;
          approved_in?: string | null;
          check_code: string;
          consumed_at?: string | null;
          created_at?: string;
          desktop_ip?: string | null;
          desktop_token_hash: string;
          desktop_ua?: string | null;
          expires_at: string;
          failed_attempts?: number;
          id?: string;
          mobile_secret_hash: string;
          session_id?: string | null;
          status?: Database["public"]["Enums"]["pairing_status"];
          user_id?: string | null;
        };
        Update: {
          approved_at?: string | null;
          approved_in?: string | null;
          check_code?: string;
          consumed_at?: string | null;
          created_at?: string;
          desktop_ip?: string | null;
          desktop_token_hash?: string;
          desktop_ua?: string | null;
          expires_at?: string;
          failed_attempts?: number;
          id?: string;
          mobile_secret_hash?: string;
          session_id?: string | null;
          status?: Database["public"]["Enums"]["pairing_status"];
          user_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "login_pairings_approved_in_fkey";
            columns: ["approved_in"];
            isOneToOne: false;
            referencedRelation: "user_sessions";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "login_pairings_session_id_fkey";
            columns: ["session_id"];
            isOneToOne: false;
            referencedRelation: "user_sessions";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "login_pairings_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      model_prices: {
        Row: {
          cache_read_per_million: number;
          cache_write_per_million: number;
          created_at: string;
          currency: string;
          input_per_million: number;
          model_id: string;
          output_per_million: number;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          cache_read_per_million?: number;
          cache_write_per_million?: number;
          created_at?: string;
          currency?: string;
          input_per_million?: number;
          model_id: string;
          output_per_million?: number;
          updated_at?: string;
        };
        Update: {
          cache_read_per_million?: number;
          cache_write_per_million?: number;
          created_at?: string;
          currency?: string;
          input_per_million?: number;
          model_id?: string;
          output_per_million?: number;
          updated_at?: string;
        };
        Relationships: [];
      };
      notices: {
        Row: {
          attempts: number;
          created_at: string;
          delivered_at: string | null;
          id: string;
          kind: string;
          last_error: string | null;
          next_attempt_at: string;
          payload: NonNullable<Json>;
          product_id: string | null;
          response_status: number | null;
          status: Database["public"]["Enums"]["notice_status"];
          user_id: string | null;
          webhook_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          attempts?: number;
          created_at?: string;
          delivered_at?: string | null;
          id?: string;
          kind: string;
          last_error?: string | null;
          next_attempt_at?: string;
          payload: NonNullable<Json>;
          product_id?: string | null;
          response_status?: number | null;
          status?: Database["public"]["Enums"]["notice_status"];
          user_id?: string | null;
          webhook_id?: string | null;
        };
        Update: {
          attempts?: number;
          created_at?: string;
          delivered_at?: string | null;
          id?: string;
          kind?: string;
          last_error?: string | null;
          next_attempt_at?: string;
          payload?: NonNullable<Json>;
          product_id?: string | null;
          response_status?: number | null;
          status?: Database["public"]["Enums"]["notice_status"];
          user_id?: string | null;
          webhook_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "notices_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "notices_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "notices_webhook_id_fkey";
            columns: ["webhook_id"];
            isOneToOne: false;
            referencedRelation: "webhooks";
            referencedColumns: ["id"];
          },
        ];
      };
      oauth_clients: {
        Row: { created_at: string; id: string; name: string; redirect_uris: string[]; used_at: string | null };
        ComputedFields: never;
        Insert: { created_at?: string; id: string; name: string; redirect_uris: string[]; used_at?: string | null };
        Update: { created_at?: string; id?: string; name?: string; redirect_uris?: string[]; used_at?: string | null };
        Relationships: [];
      };
      oauth_codes: {
        Row: {
          audience: string;
          challenge: string;
          client_id: string;
          client_name: string;
          code_hash: string;
          created_at: string;
          expires_at: string;
          product_ids: string[];
          redeemed_at: string | null;
          redirect_uri: string;
          scopes: string[];
          session_id: string | null;
          token_id: string | null;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          audience: string;
          challenge: string;
          client_id: string;
          client_name: string;
          code_hash: string;
          created_at?: string;
          expires_at: string;
          product_ids: string[];
          redeemed_at?: string | null;
          redirect_uri: string;
          scopes: string[];
          session_id?: string | null;
          token_id?: string | null;
          user_id: string;
        };
        Update: {
          audience?: string;
          challenge?: string;
          client_id?: string;
          client_name?: string;
          code_hash?: string;
          created_at?: string;
          expires_at?: string;
          product_ids?: string[];
          redeemed_at?: string | null;
          redirect_uri?: string;
          scopes?: string[];
          session_id?: string | null;
          token_id?: string | null;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "oauth_codes_session_id_fkey";
            columns: ["session_id"];
            isOneToOne: false;
            referencedRelation: "user_sessions";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "oauth_codes_token_id_fkey";
            columns: ["token_id"];
            isOneToOne: false;
            referencedRelation: "api_tokens";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "oauth_codes_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      past_jobs: {
        Row: {
          base_sha: string | null;
          branch: string | null;
          commits: number | null;
          created_at: string;
          finished_at: string;
          head_sha: string | null;
          id: string;
          kind: Database["public"]["Enums"]["agent_job_kind"];
          merged_at: string | null;
          product_id: string;
          pushed_at: string | null;
          sprint_run_id: string | null;
          status: Database["public"]["Enums"]["agent_job_status"];
          task_id: string;
        };
        ComputedFields: never;
        Insert: {
          base_sha?: string | null;
          branch?: string | null;
          commits?: number | null;
          created_at: string;
          finished_at: string;
          head_sha?: string | null;
          id: string;
          kind: Database["public"]["Enums"]["agent_job_kind"];
          merged_at?: string | null;
          product_id: string;
          pushed_at?: string | null;
          sprint_run_id?: string | null;
          status: Database["public"]["Enums"]["agent_job_status"];
          task_id: string;
        };
        Update: {
          base_sha?: string | null;
          branch?: string | null;
          commits?: number | null;
          created_at?: string;
          finished_at?: string;
          head_sha?: string | null;
          id?: string;
          kind?: Database["public"]["Enums"]["agent_job_kind"];
          merged_at?: string | null;
          product_id?: string;
          pushed_at?: string | null;
          sprint_run_id?: string | null;
          status?: Database["public"]["Enums"]["agent_job_status"];
          task_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "past_jobs_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "past_jobs_sprint_run_id_fkey";
            columns: ["sprint_run_id"];
            isOneToOne: false;
            referencedRelation: "sprint_runs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "past_jobs_task_id_fkey";
            columns: ["task_id"];
            isOneToOne: false;
            referencedRelation: "tasks";
            referencedColumns: ["id"];
          },
        ];
      };
      pbis: {
        Row: {
          code: string;
          created_at: string;
          description: string;
          field_versions: NonNullable<Json>;
          id: string;
          idea_id: string | null;
          is_intake: boolean;
          pr_merged_at: string | null;
          pr_url: string | null;
          priority: number;
          product_id: string;
          sort_order: number;
          status: Database["public"]["Enums"]["pbi_status"];
          title: string;
          updated_at: string;
          version: number;
        };
        ComputedFields: never;
        Insert: {
          code: string;
          created_at?: string;
          description?: string;
          field_versions?: NonNullable<Json>;
          id?: string;
          idea_id?: string | null;
          is_intake?: boolean;
          pr_merged_at?: string | null;
          pr_url?: string | null;
          priority?: number;
          product_id: string;
          sort_order: number;
          status?: Database["public"]["Enums"]["pbi_status"];
          title: string;
          updated_at?: string;
          version?: number;
        };
        Update: {
          code?: string;
          created_at?: string;
          description?: string;
          field_versions?: NonNullable<Json>;
          id?: string;
          idea_id?: string | null;
          is_intake?: boolean;
          pr_merged_at?: string | null;
          pr_url?: string | null;
          priority?: number;
          product_id?: string;
          sort_order?: number;
          status?: Database["public"]["Enums"]["pbi_status"];
          title?: string;
          updated_at?: string;
          version?: number;
        };
        Relationships: [
          {
            foreignKeyName: "pbis_idea_id_fkey";
            columns: ["idea_id"];
            isOneToOne: false;
            referencedRelation: "ideas";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "pbis_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      pending_verdicts: {
        Row: {
          attempt: number;
          confirm: Json | null;
          criteria: Json | null;
          given_at: string;
          head_sha: string | null;
          job_id: string;
          place: number;
          product_id: string;
          review_id: string;
          summary: string;
          undo_until: string;
          user_id: string;
          verdict: string;
          verdict_id: string;
        };
        ComputedFields: never;
        Insert: {
          attempt: number;
          confirm?: Json | null;
          criteria?: Json | null;
          given_at: string;
          head_sha?: string | null;
          job_id: string;
          place: number;
          product_id: string;
          review_id: string;
          summary: string;
          undo_until: string;
          user_id: string;
          verdict: string;
          verdict_id: string;
        };
        Update: {
          attempt?: number;
          confirm?: Json | null;
          criteria?: Json | null;
          given_at?: string;
          head_sha?: string | null;
          job_id?: string;
          place?: number;
          product_id?: string;
          review_id?: string;
          summary?: string;
          undo_until?: string;
          user_id?: string;
          verdict?: string;
          verdict_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "pending_verdicts_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: true;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "pending_verdicts_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "pending_verdicts_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      preview_tickets: {
        Row: { expires_at: string; preview_id: string; session_id: string; ticket_hash: string; user_id: string };
        ComputedFields: never;
        Insert: { expires_at: string; preview_id: string; session_id: string; ticket_hash: string; user_id: string };
        Update: {
          expires_at?: string;
          preview_id?: string;
          session_id?: string;
          ticket_hash?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "preview_tickets_preview_id_fkey";
            columns: ["preview_id"];
            isOneToOne: false;
            referencedRelation: "previews";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "preview_tickets_session_id_fkey";
            columns: ["session_id"];
            isOneToOne: false;
            referencedRelation: "user_sessions";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "preview_tickets_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      previews: {
        Row: {
          branch_sha: string | null;
          created_at: string;
          head_sha: string;
          heard_at: string | null;
          id: string;
          job_id: string;
          log: NonNullable<Json>;
          product_id: string;
          started_by: string | null;
          state: string;
          stopped_by: string | null;
          updated_at: string;
          worker_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          branch_sha?: string | null;
          created_at?: string;
          head_sha: string;
          heard_at?: string | null;
          id?: string;
          job_id: string;
          log?: NonNullable<Json>;
          product_id: string;
          started_by?: string | null;
          state?: string;
          stopped_by?: string | null;
          updated_at?: string;
          worker_id?: string | null;
        };
        Update: {
          branch_sha?: string | null;
          created_at?: string;
          head_sha?: string;
          heard_at?: string | null;
          id?: string;
          job_id?: string;
          log?: NonNullable<Json>;
          product_id?: string;
          started_by?: string | null;
          state?: string;
          stopped_by?: string | null;
          updated_at?: string;
          worker_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "previews_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "previews_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "previews_started_by_fkey";
            columns: ["started_by"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "previews_worker_id_fkey";
            columns: ["worker_id"];
            isOneToOne: false;
            referencedRelation: "agent_workers";
            referencedColumns: ["id"];
          },
        ];
      };
      product_invitations: {
        Row: {
          code_hash: string | null;
          created_at: string;
          created_by: string;
          expires_at: string;
          id: string;
          invited_user_id: string | null;
          product_id: string;
          reserved_for: string | null;
          reserved_until: string | null;
          role: Database["public"]["Enums"]["member_role"];
        };
        ComputedFields: never;
        Insert: {
          code_hash?: string | null;
          created_at?: string;
          created_by: string;
          expires_at?: string;
          id?: string;
          invited_user_id?: string | null;
          product_id: string;
          reserved_for?: string | null;
          reserved_until?: string | null;
          role: Database["public"]["Enums"]["member_role"];
        };
        Update: {
          code_hash?: string | null;
          created_at?: string;
          created_by?: string;
          expires_at?: string;
          id?: string;
          invited_user_id?: string | null;
          product_id?: string;
          reserved_for?: string | null;
          reserved_until?: string | null;
          role?: Database["public"]["Enums"]["member_role"];
        };
        Relationships: [
          {
            foreignKeyName: "product_invitations_created_by_fkey";
            columns: ["created_by"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "product_invitations_invited_user_id_fkey";
            columns: ["invited_user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "product_invitations_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "product_invitations_reserved_for_fkey";
            columns: ["reserved_for"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      product_members: {
        Row: {
          created_at: string;
          product_id: string;
          role: Database["public"]["Enums"]["member_role"];
          user_id: string;
          workers_allowed: boolean;
          workers_decided_at: string | null;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          product_id: string;
          role?: Database["public"]["Enums"]["member_role"];
          user_id: string;
          workers_allowed?: boolean;
          workers_decided_at?: string | null;
        };
        Update: {
          created_at?: string;
          product_id?: string;
          role?: Database["public"]["Enums"]["member_role"];
          user_id?: string;
          workers_allowed?: boolean;
          workers_decided_at?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "product_members_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "product_members_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      products: {
        Row: {
          agent: string | null;
          agent_items: Database["public"]["Enums"]["agent_items"];
          archived_at: string | null;
          auto_pr: boolean;
          avoid_overlap: boolean;
          branch_prefix: string;
          change_index: boolean;
          code: string;
          created_at: string;
          definition_of_done: string;
          dependency_release: Database["public"]["Enums"]["dependency_release"];
          description: string;
          done_requires: Database["public"]["Enums"]["done_requires"];
          effort: string | null;
          fallback: NonNullable<Json>;
          fallback_after: number;
          field_versions: NonNullable<Json>;
          forge_issue_label: string;
          id: string;
          landing: Database["public"]["Enums"]["landing"];
          landing_since: string;
          may_reach: NonNullable<Json>;
          model: string | null;
          name: string;
          on_failure: Database["public"]["Enums"]["on_failure"];
          owner_id: string;
          plan_first: Database["public"]["Enums"]["plan_first"];
          plan_review: Database["public"]["Enums"]["plan_review"];
          pr_strategy: Database["public"]["Enums"]["pr_strategy"];
          pull_requests: Database["public"]["Enums"]["pull_requests"];
          references: NonNullable<Json>;
          repo_url: string;
          requires_sandbox: boolean;
          review_marks: NonNullable<Json>;
          updated_at: string;
          version: number;
        };
        ComputedFields: never;
        Insert: {
          agent?: string | null;
          agent_items?: Database["public"]["Enums"]["agent_items"];
          archived_at?: string | null;
          auto_pr?: boolean;
          avoid_overlap?: boolean;
          branch_prefix?: string;
          change_index?: boolean;
          code: string;
          created_at?: string;
          definition_of_done?: string;
          dependency_release?: Database["public"]["Enums"]["dependency_release"];
          description?: string;
          done_requires?: Database["public"]["Enums"]["done_requires"];
          effort?: string | null;
          fallback?: NonNullable<Json>;
          fallback_after?: number;
          field_versions?: NonNullable<Json>;
          forge_issue_label?: string;
          id?: string;
          landing?: Database["public"]["Enums"]["landing"];
          landing_since?: string;
          may_reach?: NonNullable<Json>;
          model?: string | null;
          name: string;
          on_failure?: Database["public"]["Enums"]["on_failure"];
          owner_id?: string;
          plan_first?: Database["public"]["Enums"]["plan_first"];
          plan_review?: Database["public"]["Enums"]["plan_review"];
          pr_strategy?: Database["public"]["Enums"]["pr_strategy"];
          pull_requests?: Database["public"]["Enums"]["pull_requests"];
          references?: NonNullable<Json>;
          repo_url?: string;
          requires_sandbox?: boolean;
          review_marks?: NonNullable<Json>;
          updated_at?: string;
          version?: number;
        };
        Update: {
          agent?: string | null;
          agent_items?: Database["public"]["Enums"]["agent_items"];
          archived_at?: string | null;
          auto_pr?: boolean;
          avoid_overlap?: boolean;
          branch_prefix?: string;
          change_index?: boolean;
          code?: string;
          created_at?: string;
          definition_of_done?: string;
          dependency_release?: Database["public"]["Enums"]["dependency_release"];
          description?: string;
          done_requires?: Database["public"]["Enums"]["done_requires"];
          effort?: string | null;
          fallback?: NonNullable<Json>;
          fallback_after?: number;
          field_versions?: NonNullable<Json>;
          forge_issue_label?: string;
          id?: string;
          landing?: Database["public"]["Enums"]["landing"];
          landing_since?: string;
          may_reach?: NonNullable<Json>;
          model?: string | null;
          name?: string;
          on_failure?: Database["public"]["Enums"]["on_failure"];
          owner_id?: string;
          plan_first?: Database["public"]["Enums"]["plan_first"];
          plan_review?: Database["public"]["Enums"]["plan_review"];
          pr_strategy?: Database["public"]["Enums"]["pr_strategy"];
          pull_requests?: Database["public"]["Enums"]["pull_requests"];
          references?: NonNullable<Json>;
          repo_url?: string;
          requires_sandbox?: boolean;
          review_marks?: NonNullable<Json>;
          updated_at?: string;
          version?: number;
        };
        Relationships: [
          {
            foreignKeyName: "products_owner_id_fkey";
            columns: ["owner_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      pull_reactions: {
        Row: {
          created_at: string;
          decision: string;
          external_id: string;
          head_sha: string;
          job_id: string | null;
          kind: string;
          pull_id: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          decision: string;
          external_id: string;
          head_sha: string;
          job_id?: string | null;
          kind: string;
          pull_id: string;
        };
        Update: {
          created_at?: string;
          decision?: string;
          external_id?: string;
          head_sha?: string;
          job_id?: string | null;
          kind?: string;
          pull_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "pull_reactions_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "pull_reactions_pull_id_fkey";
            columns: ["pull_id"];
            isOneToOne: false;
            referencedRelation: "pulls";
            referencedColumns: ["id"];
          },
        ];
      };
      pulls: {
        Row: {
          branch: string;
          ci: string;
          created_at: string;
          draft: boolean;
          head_sha: string;
          id: string;
          mergeable: boolean | null;
          number: number;
          observed_at: string;
          product_id: string;
          review: string;
          state: string;
          updated_at: string;
          url: string;
        };
        ComputedFields: never;
        Insert: {
          branch: string;
          ci?: string;
          created_at?: string;
          draft?: boolean;
          head_sha: string;
          id?: string;
          mergeable?: boolean | null;
          number: number;
          observed_at: string;
          product_id: string;
          review?: string;
          state: string;
          updated_at?: string;
          url: string;
        };
        Update: {
          branch?: string;
          ci?: string;
          created_at?: string;
          draft?: boolean;
          head_sha?: string;
          id?: string;
          mergeable?: boolean | null;
          number?: number;
          observed_at?: string;
          product_id?: string;
          review?: string;
          state?: string;
          updated_at?: string;
          url?: string;
        };
        Relationships: [
          {
            foreignKeyName: "pulls_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      push_subscriptions: {
        Row: {
          auth: string;
          created_at: string;
          disabled_at: string | null;
          endpoint: string;
          id: string;
          last_error: string | null;
          p256dh: string;
          session_id: string | null;
          user_agent: string | null;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          auth: string;
          created_at?: string;
          disabled_at?: string | null;
          endpoint: string;
          id?: string;
          last_error?: string | null;
          p256dh: string;
          session_id?: string | null;
          user_agent?: string | null;
          user_id: string;
        };
        Update: {
          auth?: string;
          created_at?: string;
          disabled_at?: string | null;
          endpoint?: string;
          id?: string;
          last_error?: string | null;
          p256dh?: string;
          session_id?: string | null;
          user_agent?: string | null;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "push_subscriptions_session_id_fkey";
            columns: ["session_id"];
            isOneToOne: false;
            referencedRelation: "user_sessions";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "push_subscriptions_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      rate_limit_counters: {
        Row: { action: string; count: number; key: string; window_start: string };
        ComputedFields: never;
        Insert: { action: string; count?: number; key: string; window_start: string };
        Update: { action?: string; count?: number; key?: string; window_start?: string };
        Relationships: [];
      };
      recurrence_slots: {
        Row: { decided_at: string; fired_story_id: string | null; outcome: string; slot: string; story_id: string };
        ComputedFields: never;
        Insert: {
          decided_at?: string;
          fired_story_id?: string | null;
          outcome: string;
          slot: string;
          story_id: string;
        };
        Update: {
          decided_at?: string;
          fired_story_id?: string | null;
          outcome?: string;
          slot?: string;
          story_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "recurrence_slots_fired_story_id_fkey";
            columns: ["fired_story_id"];
            isOneToOne: false;
            referencedRelation: "stories";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recurrence_slots_story_id_fkey";
            columns: ["story_id"];
            isOneToOne: false;
            referencedRelation: "recurrences";
            referencedColumns: ["story_id"];
          },
        ];
      };
      recurrences: {
        Row: {
          created_at: string;
          created_by: string | null;
          cron: string;
          missed: string;
          next_at: string | null;
          product_id: string;
          story_id: string;
          updated_at: string;
          zone: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          created_by?: string | null;
          cron: string;
          missed: string;
          next_at?: string | null;
          product_id: string;
          story_id: string;
          updated_at?: string;
          zone: string;
        };
        Update: {
          created_at?: string;
          created_by?: string | null;
          cron?: string;
          missed?: string;
          next_at?: string | null;
          product_id?: string;
          story_id?: string;
          updated_at?: string;
          zone?: string;
        };
        Relationships: [
          {
            foreignKeyName: "recurrences_created_by_fkey";
            columns: ["created_by"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recurrences_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recurrences_story_id_fkey";
            columns: ["story_id"];
            isOneToOne: true;
            referencedRelation: "stories";
            referencedColumns: ["id"];
          },
        ];
      };
      saved_views: {
        Row: {
          created_at: string;
          created_by: string | null;
          id: string;
          look: NonNullable<Json>;
          name: string;
          page: string;
          product_id: string;
          updated_at: string;
          user_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          created_by?: string | null;
          id?: string;
          look: NonNullable<Json>;
          name: string;
          page: string;
          product_id: string;
          updated_at?: string;
          user_id?: string | null;
        };
        Update: {
          created_at?: string;
          created_by?: string | null;
          id?: string;
          look?: NonNullable<Json>;
          name?: string;
          page?: string;
          product_id?: string;
          updated_at?: string;
          user_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "saved_views_created_by_fkey";
            columns: ["created_by"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "saved_views_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "saved_views_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      schedule_runs: {
        Row: {
          claimed_at: string;
          due_at: string;
          finished_at: string | null;
          name: string;
          request_id: number | null;
        };
        ComputedFields: never;
        Insert: {
          claimed_at?: string;
          due_at: string;
          finished_at?: string | null;
          name: string;
          request_id?: number | null;
        };
        Update: {
          claimed_at?: string;
          due_at?: string;
          finished_at?: string | null;
          name?: string;
          request_id?: number | null;
        };
        Relationships: [];
      };
      settled_items: {
        Row: {
          code: string;
          external_id: string;
          merged_into: string | null;
          outcome: string;
          product_id: string;
          settled_at: string;
          story_id: string;
        };
        ComputedFields: never;
        Insert: {
          code: string;
          external_id: string;
          merged_into?: string | null;
          outcome: string;
          product_id: string;
          settled_at?: string;
          story_id: string;
        };
        Update: {
          code?: string;
          external_id?: string;
          merged_into?: string | null;
          outcome?: string;
          product_id?: string;
          settled_at?: string;
          story_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "settled_items_merged_into_fkey";
            columns: ["merged_into"];
            isOneToOne: false;
            referencedRelation: "stories";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "settled_items_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      spent_refresh_tokens: {
        Row: { next_tokens: string | null; refresh_hash: string; spent_at: string; token_id: string };
        ComputedFields: never;
        Insert: { next_tokens?: string | null; refresh_hash: string; spent_at?: string; token_id: string };
        Update: { next_tokens?: string | null; refresh_hash?: string; spent_at?: string; token_id?: string };
        Relationships: [
          {
            foreignKeyName: "spent_refresh_tokens_token_id_fkey";
            columns: ["token_id"];
            isOneToOne: false;
            referencedRelation: "api_tokens";
            referencedColumns: ["id"];
          },
        ];
      };
      sprint_leftovers: {
        Row: { sprint_id: string; story_id: string };
        ComputedFields: never;
        Insert: { sprint_id: string; story_id: string };
        Update: { sprint_id?: string; story_id?: string };
        Relationships: [
          {
            foreignKeyName: "sprint_leftovers_sprint_id_fkey";
            columns: ["sprint_id"];
            isOneToOne: false;
            referencedRelation: "sprints";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "sprint_leftovers_story_id_fkey";
            columns: ["story_id"];
            isOneToOne: false;
            referencedRelation: "stories";
            referencedColumns: ["id"];
          },
        ];
      };
      sprint_runs: {
        Row: {
          branch: string;
          created_at: string;
          failure: Json | null;
          finished_at: string | null;
          id: string;
          pause_context: Json | null;
          pause_question_id: string | null;
          plan_first: boolean;
          plan_review: Database["public"]["Enums"]["plan_review"];
          pr_strategy: Database["public"]["Enums"]["pr_strategy"];
          previous_run_id: string | null;
          product_id: string;
          sprint_id: string | null;
          started_at: string | null;
          started_by: string | null;
          status: Database["public"]["Enums"]["sprint_run_status"];
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          branch: string;
          created_at?: string;
          failure?: Json | null;
          finished_at?: string | null;
          id?: string;
          pause_context?: Json | null;
          pause_question_id?: string | null;
          plan_first?: boolean;
          plan_review?: Database["public"]["Enums"]["plan_review"];
          pr_strategy: Database["public"]["Enums"]["pr_strategy"];
          previous_run_id?: string | null;
          product_id: string;
          sprint_id?: string | null;
          started_at?: string | null;
          started_by?: string | null;
          status?: Database["public"]["Enums"]["sprint_run_status"];
          updated_at?: string;
        };
        Update: {
          branch?: string;
          created_at?: string;
          failure?: Json | null;
          finished_at?: string | null;
          id?: string;
          pause_context?: Json | null;
          pause_question_id?: string | null;
          plan_first?: boolean;
          plan_review?: Database["public"]["Enums"]["plan_review"];
          pr_strategy?: Database["public"]["Enums"]["pr_strategy"];
          previous_run_id?: string | null;
          product_id?: string;
          sprint_id?: string | null;
          started_at?: string | null;
          started_by?: string | null;
          status?: Database["public"]["Enums"]["sprint_run_status"];
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "sprint_runs_pause_question_id_fkey";
            columns: ["pause_question_id"];
            isOneToOne: false;
            referencedRelation: "agent_questions";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "sprint_runs_previous_run_id_fkey";
            columns: ["previous_run_id"];
            isOneToOne: false;
            referencedRelation: "sprint_runs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "sprint_runs_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "sprint_runs_sprint_id_fkey";
            columns: ["sprint_id"];
            isOneToOne: false;
            referencedRelation: "sprints";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "sprint_runs_started_by_fkey";
            columns: ["started_by"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      sprints: {
        Row: {
          code: string;
          completed_at: string | null;
          created_at: string;
          end_date: string | null;
          field_versions: NonNullable<Json>;
          id: string;
          product_id: string;
          sprint_goal: string;
          start_date: string | null;
          started_at: string | null;
          status: Database["public"]["Enums"]["sprint_status"];
          updated_at: string;
          version: number;
        };
        ComputedFields: never;
        Insert: {
          code: string;
          completed_at?: string | null;
          created_at?: string;
          end_date?: string | null;
          field_versions?: NonNullable<Json>;
          id?: string;
          product_id: string;
          sprint_goal?: string;
          start_date?: string | null;
          started_at?: string | null;
          status?: Database["public"]["Enums"]["sprint_status"];
          updated_at?: string;
          version?: number;
        };
        Update: {
          code?: string;
          completed_at?: string | null;
          created_at?: string;
          end_date?: string | null;
          field_versions?: NonNullable<Json>;
          id?: string;
          product_id?: string;
          sprint_goal?: string;
          start_date?: string | null;
          started_at?: string | null;
          status?: Database["public"]["Enums"]["sprint_status"];
          updated_at?: string;
          version?: number;
        };
        Relationships: [
          {
            foreignKeyName: "sprints_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      stories: {
        Row: {
          acceptance_criteria: string;
          agent: string | null;
          assignee_id: string | null;
          code: string;
          created_at: string;
          description: string;
          effort: string | null;
          external_id: string | null;
          external_url: string | null;
          field_versions: NonNullable<Json>;
          id: string;
          in_triage: boolean;
          is_template: boolean;
          label_ids: string[];
          model: string | null;
          origin: string | null;
          pbi_id: string;
          priority: number;
          product_id: string;
          sort_order: number;
          sprint_id: string | null;
          status: Database["public"]["Enums"]["story_status"];
          template_id: string | null;
          title: string;
          updated_at: string;
          version: number;
        };
        ComputedFields: never;
        Insert: {
          acceptance_criteria?: string;
          agent?: string | null;
          assignee_id?: string | null;
          code: string;
          created_at?: string;
          description?: string;
          effort?: string | null;
          external_id?: string | null;
          external_url?: string | null;
          field_versions?: NonNullable<Json>;
          id?: string;
          in_triage?: boolean;
          is_template?: boolean;
          label_ids?: string[];
          model?: string | null;
          origin?: string | null;
          pbi_id: string;
          priority?: number;
          product_id: string;
          sort_order: number;
          sprint_id?: string | null;
          status?: Database["public"]["Enums"]["story_status"];
          template_id?: string | null;
          title: string;
          updated_at?: string;
          version?: number;
        };
        Update: {
          acceptance_criteria?: string;
          agent?: string | null;
          assignee_id?: string | null;
          code?: string;
          created_at?: string;
          description?: string;
          effort?: string | null;
          external_id?: string | null;
          external_url?: string | null;
          field_versions?: NonNullable<Json>;
          id?: string;
          in_triage?: boolean;
          is_template?: boolean;
          label_ids?: string[];
          model?: string | null;
          origin?: string | null;
          pbi_id?: string;
          priority?: number;
          product_id?: string;
          sort_order?: number;
          sprint_id?: string | null;
          status?: Database["public"]["Enums"]["story_status"];
          template_id?: string | null;
          title?: string;
          updated_at?: string;
          version?: number;
        };
        Relationships: [
          {
            foreignKeyName: "stories_assignee_fkey";
            columns: ["product_id", "assignee_id"];
            isOneToOne: false;
            referencedRelation: "product_members";
            referencedColumns: ["product_id", "user_id"];
          },
          {
            foreignKeyName: "stories_pbi_fkey";
            columns: ["pbi_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "pbis";
            referencedColumns: ["id", "product_id"];
          },
          {
            foreignKeyName: "stories_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "stories_sprint_fkey";
            columns: ["sprint_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "sprints";
            referencedColumns: ["id", "product_id"];
          },
          {
            foreignKeyName: "stories_template_id_fkey";
            columns: ["template_id"];
            isOneToOne: false;
            referencedRelation: "stories";
            referencedColumns: ["id"];
          },
        ];
      };
      story_dependencies: {
        Row: {
          blocked_id: string;
          blocker_id: string;
          created_at: string;
          created_by: string | null;
          product_id: string;
        };
        ComputedFields: never;
        Insert: {
          blocked_id: string;
          blocker_id: string;
          created_at?: string;
          created_by?: string | null;
          product_id: string;
        };
        Update: {
          blocked_id?: string;
          blocker_id?: string;
          created_at?: string;
          created_by?: string | null;
          product_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "story_dependencies_blocked_fkey";
            columns: ["blocked_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "stories";
            referencedColumns: ["id", "product_id"];
          },
          {
            foreignKeyName: "story_dependencies_blocker_fkey";
            columns: ["blocker_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "stories";
            referencedColumns: ["id", "product_id"];
          },
          {
            foreignKeyName: "story_dependencies_created_by_fkey";
            columns: ["created_by"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "story_dependencies_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      story_heads: {
        Row: { attempt: number; head_sha: string; job_id: string | null; moved_at: string; story_id: string };
        ComputedFields: never;
        Insert: { attempt: number; head_sha: string; job_id?: string | null; moved_at?: string; story_id: string };
        Update: { attempt?: number; head_sha?: string; job_id?: string | null; moved_at?: string; story_id?: string };
        Relationships: [
          {
            foreignKeyName: "story_heads_story_id_fkey";
            columns: ["story_id"];
            isOneToOne: true;
            referencedRelation: "stories";
            referencedColumns: ["id"];
          },
        ];
      };
      story_logs: {
        Row: {
          commit_hash: string | null;
          commit_message: string | null;
          content: string;
          created_at: string;
          id: string;
          job_id: string | null;
          metadata: Json | null;
          product_id: string;
          status: Database["public"]["Enums"]["story_log_status"] | null;
          story_id: string;
          type: Database["public"]["Enums"]["story_log_type"];
          user_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          commit_hash?: string | null;
          commit_message?: string | null;
          content: string;
          created_at?: string;
          id?: string;
          job_id?: string | null;
          metadata?: Json | null;
          product_id: string;
          status?: Database["public"]["Enums"]["story_log_status"] | null;
          story_id: string;
          type: Database["public"]["Enums"]["story_log_type"];
          user_id?: string | null;
        };
        Update: {
          commit_hash?: string | null;
          commit_message?: string | null;
          content?: string;
          created_at?: string;
          id?: string;
          job_id?: string | null;
          metadata?: Json | null;
          product_id?: string;
          status?: Database["public"]["Enums"]["story_log_status"] | null;
          story_id?: string;
          type?: Database["public"]["Enums"]["story_log_type"];
          user_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "story_logs_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "story_logs_story_fkey";
            columns: ["story_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "stories";
            referencedColumns: ["id", "product_id"];
          },
          {
            foreignKeyName: "story_logs_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      task_dependencies: {
        Row: {
          blocked_id: string;
          blocker_id: string;
          created_at: string;
          created_by: string | null;
          product_id: string;
        };
        ComputedFields: never;
        Insert: {
          blocked_id: string;
          blocker_id: string;
          created_at?: string;
          created_by?: string | null;
          product_id: string;
        };
        Update: {
          blocked_id?: string;
          blocker_id?: string;
          created_at?: string;
          created_by?: string | null;
          product_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "task_dependencies_blocked_fkey";
            columns: ["blocked_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "tasks";
            referencedColumns: ["id", "product_id"];
          },
          {
            foreignKeyName: "task_dependencies_blocker_fkey";
            columns: ["blocker_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "tasks";
            referencedColumns: ["id", "product_id"];
          },
          {
            foreignKeyName: "task_dependencies_created_by_fkey";
            columns: ["created_by"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "task_dependencies_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      task_executions: {
        Row: {
          created_at: string;
          failure_reason: string | null;
          finished_at: string | null;
          head_sha: string | null;
          id: string;
          plan_snapshot: string | null;
          position: number;
          sprint_run_id: string;
          started_at: string | null;
          status: Database["public"]["Enums"]["task_execution_status"];
          task_id: string;
          verify_required: Database["public"]["Enums"]["verify_required"];
          verify_result: Database["public"]["Enums"]["verify_result"] | null;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          failure_reason?: string | null;
          finished_at?: string | null;
          head_sha?: string | null;
          id?: string;
          plan_snapshot?: string | null;
          position: number;
          sprint_run_id: string;
          started_at?: string | null;
          status?: Database["public"]["Enums"]["task_execution_status"];
          task_id: string;
          verify_required: Database["public"]["Enums"]["verify_required"];
          verify_result?: Database["public"]["Enums"]["verify_result"] | null;
        };
        Update: {
          created_at?: string;
          failure_reason?: string | null;
          finished_at?: string | null;
          head_sha?: string | null;
          id?: string;
          plan_snapshot?: string | null;
          position?: number;
          sprint_run_id?: string;
          started_at?: string | null;
          status?: Database["public"]["Enums"]["task_execution_status"];
          task_id?: string;
          verify_required?: Database["public"]["Enums"]["verify_required"];
          verify_result?: Database["public"]["Enums"]["verify_result"] | null;
        };
        Relationships: [
          {
            foreignKeyName: "task_executions_sprint_run_id_fkey";
            columns: ["sprint_run_id"];
            isOneToOne: false;
            referencedRelation: "sprint_runs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "task_executions_task_id_fkey";
            columns: ["task_id"];
            isOneToOne: false;
            referencedRelation: "tasks";
            referencedColumns: ["id"];
          },
        ];
      };
      task_returns: {
        Row: {
          attempt: number;
          begun_at: string;
          cause: string;
          created_at: string;
          job_id: string;
          product_id: string;
          task_id: string;
        };
        ComputedFields: never;
        Insert: {
          attempt: number;
          begun_at: string;
          cause: string;
          created_at?: string;
          job_id: string;
          product_id: string;
          task_id: string;
        };
        Update: {
          attempt?: number;
          begun_at?: string;
          cause?: string;
          created_at?: string;
          job_id?: string;
          product_id?: string;
          task_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "task_returns_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "task_returns_task_id_fkey";
            columns: ["task_id"];
            isOneToOne: false;
            referencedRelation: "tasks";
            referencedColumns: ["id"];
          },
        ];
      };
      task_status_changes: {
        Row: {
          changed_at: string;
          from_status: Database["public"]["Enums"]["task_status"] | null;
          id: number;
          product_id: string;
          sprint_id: string | null;
          story_id: string;
          task_id: string;
          to_status: Database["public"]["Enums"]["task_status"];
        };
        ComputedFields: never;
        Insert: {
          changed_at?: string;
          from_status?: Database["public"]["Enums"]["task_status"] | null;
          id?: never;
          product_id: string;
          sprint_id?: string | null;
          story_id: string;
          task_id: string;
          to_status: Database["public"]["Enums"]["task_status"];
        };
        Update: {
          changed_at?: string;
          from_status?: Database["public"]["Enums"]["task_status"] | null;
          id?: never;
          product_id?: string;
          sprint_id?: string | null;
          story_id?: string;
          task_id?: string;
          to_status?: Database["public"]["Enums"]["task_status"];
        };
        Relationships: [
          {
            foreignKeyName: "task_status_changes_task_id_fkey";
            columns: ["task_id"];
            isOneToOne: false;
            referencedRelation: "tasks";
            referencedColumns: ["id"];
          },
        ];
      };
      tasks: {
        Row: {
          agent: string | null;
          code: string;
          created_at: string;
          description: string;
          effort: string | null;
          estimated_minutes: number | null;
          external_id: string | null;
          field_versions: NonNullable<Json>;
          id: string;
          implementation_plan: string | null;
          label_ids: string[];
          model: string | null;
          plan_decision: Json | null;
          priority: number;
          product_id: string;
          repo_url: string | null;
          repo_url_by: string | null;
          requires_opus: boolean;
          sort_order: number;
          status: Database["public"]["Enums"]["task_status"];
          story_id: string;
          title: string;
          updated_at: string;
          verify_only: boolean;
          verify_required: Database["public"]["Enums"]["verify_required"];
          version: number;
        };
        ComputedFields: never;
        Insert: {
          agent?: string | null;
          code: string;
          created_at?: string;
          description?: string;
          effort?: string | null;
          estimated_minutes?: number | null;
          external_id?: string | null;
          field_versions?: NonNullable<Json>;
          id?: string;
          implementation_plan?: string | null;
          label_ids?: string[];
          model?: string | null;
          plan_decision?: Json | null;
          priority?: number;
          product_id: string;
          repo_url?: string | null;
          repo_url_by?: string | null;
          requires_opus?: boolean;
          sort_order: number;
          status?: Database["public"]["Enums"]["task_status"];
          story_id: string;
          title: string;
          updated_at?: string;
          verify_only?: boolean;
          verify_required?: Database["public"]["Enums"]["verify_required"];
          version?: number;
        };
        Update: {
          agent?: string | null;
          code?: string;
          created_at?: string;
          description?: string;
          effort?: string | null;
          estimated_minutes?: number | null;
          external_id?: string | null;
          field_versions?: NonNullable<Json>;
          id?: string;
          implementation_plan?: string | null;
          label_ids?: string[];
          model?: string | null;
          plan_decision?: Json | null;
          priority?: number;
          product_id?: string;
          repo_url?: string | null;
          repo_url_by?: string | null;
          requires_opus?: boolean;
          sort_order?: number;
          status?: Database["public"]["Enums"]["task_status"];
          story_id?: string;
          title?: string;
          updated_at?: string;
          verify_only?: boolean;
          verify_required?: Database["public"]["Enums"]["verify_required"];
          version?: number;
        };
        Relationships: [
          {
            foreignKeyName: "tasks_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "tasks_repo_url_by_fkey";
            columns: ["repo_url_by"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "tasks_story_fkey";
            columns: ["story_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "stories";
            referencedColumns: ["id", "product_id"];
          },
        ];
      };
      tasks_in_review: {
        Row: { product_id: string; since: string; task_id: string };
        ComputedFields: never;
        Insert: { product_id: string; since?: string; task_id: string };
        Update: { product_id?: string; since?: string; task_id?: string };
        Relationships: [
          {
            foreignKeyName: "tasks_in_review_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "tasks_in_review_task_id_fkey";
            columns: ["task_id"];
            isOneToOne: true;
            referencedRelation: "tasks";
            referencedColumns: ["id"];
          },
        ];
      };
      touched_paths: {
        Row: { attempt: number; folder: string; job_id: string; path: string; product_id: string };
        ComputedFields: never;
        Insert: { attempt: number; folder?: never; job_id: string; path: string; product_id: string };
        Update: { attempt?: number; folder?: never; job_id?: string; path?: string; product_id?: string };
        Relationships: [
          {
            foreignKeyName: "touched_paths_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      upkeeps: {
        Row: {
          created_at: string;
          digest: string | null;
          id: string;
          kind: string;
          landed_at: string | null;
          lease: string;
          lease_until: string;
          look_at: string | null;
          product_id: string;
          state: string;
          updated_at: string;
          url: string | null;
          words: string | null;
          worker: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          digest?: string | null;
          id?: string;
          kind: string;
          landed_at?: string | null;
          lease?: string;
          lease_until: string;
          look_at?: string | null;
          product_id: string;
          state?: string;
          updated_at?: string;
          url?: string | null;
          words?: string | null;
          worker: string;
        };
        Update: {
          created_at?: string;
          digest?: string | null;
          id?: string;
          kind?: string;
          landed_at?: string | null;
          lease?: string;
          lease_until?: string;
          look_at?: string | null;
          product_id?: string;
          state?: string;
          updated_at?: string;
          url?: string | null;
          words?: string | null;
          worker?: string;
        };
        Relationships: [
          {
            foreignKeyName: "upkeeps_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      usage_events: {
        Row: {
          attempt: number;
          cache_read_tokens: number | null;
          cache_write_tokens: number | null;
          cost: number | null;
          created_at: string;
          currency: string | null;
          estimated: boolean;
          id: number;
          input_tokens: number | null;
          job_id: string | null;
          model_id: string | null;
          output_tokens: number | null;
          product_id: string;
          rates: Json | null;
          reported_cost: number | null;
          seq: number;
          source: string;
          sprint_run_id: string | null;
          subscription: boolean;
          task_id: string | null;
          worker_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          attempt: number;
          cache_read_tokens?: number | null;
          cache_write_tokens?: number | null;
          cost?: number | null;
          created_at?: string;
          currency?: string | null;
          estimated?: boolean;
          id?: never;
          input_tokens?: number | null;
          job_id?: string | null;
          model_id?: string | null;
          output_tokens?: number | null;
          product_id: string;
          rates?: Json | null;
          reported_cost?: number | null;
          seq: number;
          source: string;
          sprint_run_id?: string | null;
          subscription?: boolean;
          task_id?: string | null;
          worker_id?: string | null;
        };
        Update: {
          attempt?: number;
          cache_read_tokens?: number | null;
          cache_write_tokens?: number | null;
          cost?: number | null;
          created_at?: string;
          currency?: string | null;
          estimated?: boolean;
          id?: never;
          input_tokens?: number | null;
          job_id?: string | null;
          model_id?: string | null;
          output_tokens?: number | null;
          product_id?: string;
          rates?: Json | null;
          reported_cost?: number | null;
          seq?: number;
          source?: string;
          sprint_run_id?: string | null;
          subscription?: boolean;
          task_id?: string | null;
          worker_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "usage_events_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "usage_events_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "usage_events_sprint_run_id_fkey";
            columns: ["sprint_run_id"];
            isOneToOne: false;
            referencedRelation: "sprint_runs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "usage_events_task_id_fkey";
            columns: ["task_id"];
            isOneToOne: false;
            referencedRelation: "tasks";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "usage_events_worker_id_fkey";
            columns: ["worker_id"];
            isOneToOne: false;
            referencedRelation: "agent_workers";
            referencedColumns: ["id"];
          },
        ];
      };
      usage_so_far: {
        Row: {
          after_seq: number;
          attempt: number;
          cache_read_tokens: number | null;
          cache_write_tokens: number | null;
          cost: number | null;
          currency: string | null;
          input_tokens: number | null;
          job_id: string;
          model_id: string;
          output_tokens: number | null;
          product_id: string;
          rates: Json | null;
          reported_cost: number | null;
          source: string;
          sprint_run_id: string | null;
          subscription: boolean;
          task_id: string | null;
          told_at: string;
          worker_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          after_seq?: number;
          attempt: number;
          cache_read_tokens?: number | null;
          cache_write_tokens?: number | null;
          cost?: number | null;
          currency?: string | null;
          input_tokens?: number | null;
          job_id: string;
          model_id?: string;
          output_tokens?: number | null;
          product_id: string;
          rates?: Json | null;
          reported_cost?: number | null;
          source: string;
          sprint_run_id?: string | null;
          subscription?: boolean;
          task_id?: string | null;
          told_at?: string;
          worker_id?: string | null;
        };
        Update: {
          after_seq?: number;
          attempt?: number;
          cache_read_tokens?: number | null;
          cache_write_tokens?: number | null;
          cost?: number | null;
          currency?: string | null;
          input_tokens?: number | null;
          job_id?: string;
          model_id?: string;
          output_tokens?: number | null;
          product_id?: string;
          rates?: Json | null;
          reported_cost?: number | null;
          source?: string;
          sprint_run_id?: string | null;
          subscription?: boolean;
          task_id?: string | null;
          told_at?: string;
          worker_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "usage_so_far_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "usage_so_far_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "usage_so_far_sprint_run_id_fkey";
            columns: ["sprint_run_id"];
            isOneToOne: false;
            referencedRelation: "sprint_runs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "usage_so_far_task_id_fkey";
            columns: ["task_id"];
            isOneToOne: false;
            referencedRelation: "tasks";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "usage_so_far_worker_id_fkey";
            columns: ["worker_id"];
            isOneToOne: false;
            referencedRelation: "agent_workers";
            referencedColumns: ["id"];
          },
        ];
      };
      user_questions: {
        Row: {
          answer: string | null;
          answered_at: string | null;
          created_at: string;
          id: string;
          idea_id: string;
          job_id: string | null;
          question: string;
          status: Database["public"]["Enums"]["user_question_status"];
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          answer?: string | null;
          answered_at?: string | null;
          created_at?: string;
          id?: string;
          idea_id: string;
          job_id?: string | null;
          question: string;
          status?: Database["public"]["Enums"]["user_question_status"];
          user_id: string;
        };
        Update: {
          answer?: string | null;
          answered_at?: string | null;
          created_at?: string;
          id?: string;
          idea_id?: string;
          job_id?: string | null;
          question?: string;
          status?: Database["public"]["Enums"]["user_question_status"];
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "user_questions_idea_id_fkey";
            columns: ["idea_id"];
            isOneToOne: false;
            referencedRelation: "ideas";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "user_questions_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "user_questions_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      user_sessions: {
        Row: {
          created_at: string;
          expires_at: string;
          id: string;
          ip: string | null;
          last_seen_at: string;
          paired: boolean;
          paired_expires_at: string | null;
          revoked_at: string | null;
          user_agent: string | null;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          expires_at: string;
          id?: string;
          ip?: string | null;
          last_seen_at?: string;
          paired?: boolean;
          paired_expires_at?: string | null;
          revoked_at?: string | null;
          user_agent?: string | null;
          user_id: string;
        };
        Update: {
          created_at?: string;
          expires_at?: string;
          id?: string;
          ip?: string | null;
          last_seen_at?: string;
          paired?: boolean;
          paired_expires_at?: string | null;
          revoked_at?: string | null;
          user_agent?: string | null;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "user_sessions_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      users: {
        Row: {
          active_product_id: string | null;
          avatar: string | null;
          avatar_mime: string | null;
          created_at: string;
          email: string;
          id: string;
          is_demo: boolean;
          min_quota_pct: number;
          must_reset_password: boolean;
          password_set_until: string | null;
          role: Database["public"]["Enums"]["user_role"];
          theme: Database["public"]["Enums"]["user_theme"];
          updated_at: string;
          username: string;
        };
        ComputedFields: never;
        Insert: {
          active_product_id?: string | null;
          avatar?: string | null;
          avatar_mime?: string | null;
          created_at?: string;
          email: string;
          id: string;
          is_demo?: boolean;
          min_quota_pct?: number;
          must_reset_password?: boolean;
          password_set_until?: string | null;
          role?: Database["public"]["Enums"]["user_role"];
          theme?: Database["public"]["Enums"]["user_theme"];
          updated_at?: string;
          username: string;
        };
        Update: {
          active_product_id?: string | null;
          avatar?: string | null;
          avatar_mime?: string | null;
          created_at?: string;
          email?: string;
          id?: string;
          is_demo?: boolean;
          min_quota_pct?: number;
          must_reset_password?: boolean;
          password_set_until?: string | null;
          role?: Database["public"]["Enums"]["user_role"];
          theme?: Database["public"]["Enums"]["user_theme"];
          updated_at?: string;
          username?: string;
        };
        Relationships: [
          {
            foreignKeyName: "users_active_product_id_fkey";
            columns: ["active_product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
      viewed_files: {
        Row: {
          attempt: number;
          content_digest: string;
          job_id: string;
          path_digest: string;
          user_id: string;
          viewed_at: string;
        };
        ComputedFields: never;
        Insert: {
          attempt: number;
          content_digest: string;
          job_id: string;
          path_digest: string;
          user_id: string;
          viewed_at?: string;
        };
        Update: {
          attempt?: number;
          content_digest?: string;
          job_id?: string;
          path_digest?: string;
          user_id?: string;
          viewed_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "viewed_files_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "agent_jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "viewed_files_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      waivers: {
        Row: {
          created_at: string;
          criterion: string;
          criterion_text: string;
          id: string;
          product_id: string;
          reason: string;
          story_id: string;
          user_id: string | null;
          waived_by: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          criterion: string;
          criterion_text: string;
          id?: string;
          product_id: string;
          reason: string;
          story_id: string;
          user_id?: string | null;
          waived_by: string;
        };
        Update: {
          created_at?: string;
          criterion?: string;
          criterion_text?: string;
          id?: string;
          product_id?: string;
          reason?: string;
          story_id?: string;
          user_id?: string | null;
          waived_by?: string;
        };
        Relationships: [
          {
            foreignKeyName: "waivers_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "waivers_story_id_fkey";
            columns: ["story_id"];
            isOneToOne: false;
            referencedRelation: "stories";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "waivers_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
        ];
      };
      webhooks: {
        Row: {
          active: boolean;
          created_at: string;
          created_by: string | null;
          events: NonNullable<Json>;
          id: string;
          product_id: string;
          secret: string;
          updated_at: string;
          url: string;
        };
        ComputedFields: never;
        Insert: {
          active?: boolean;
          created_at?: string;
          created_by?: string | null;
          events?: NonNullable<Json>;
          id?: string;
          product_id: string;
          secret: string;
          updated_at?: string;
          url: string;
        };
        Update: {
          active?: boolean;
          created_at?: string;
          created_by?: string | null;
          events?: NonNullable<Json>;
          id?: string;
          product_id?: string;
          secret?: string;
          updated_at?: string;
          url?: string;
        };
        Relationships: [
          {
            foreignKeyName: "webhooks_created_by_fkey";
            columns: ["created_by"];
            isOneToOne: false;
            referencedRelation: "users";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "webhooks_product_id_fkey";
            columns: ["product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["id"];
          },
        ];
      };
    };
    Views: {
      [_ in never]: never;
    };
    Functions: {
      authenticate: { Args: { p_credential: Json }; Returns: Json };
      call_as: { Args: { p_arguments?: Json; p_credential: Json; p_function: string; p_key?: string }; Returns: Json };
      call_service: { Args: { p_arguments?: Json; p_function: string }; Returns: Json };
    };
    Enums: {
      agent_items: "backlog" | "triage";
      agent_job_kind: "TASK_IMPLEMENTATION" | "PLAN_CHAT" | "SPRINT_IMPLEMENTATION";
      agent_job_status: "QUEUED" | "CLAIMED" | "RUNNING" | "DONE" | "FAILED" | "CANCELLED" | "SKIPPED";
      agent_question_status: "OPEN" | "ANSWERED" | "CANCELLED" | "EXPIRED";
      confinement: "bwrap" | "docker" | "command" | "none" | "bwrap_open" | "docker_open";
      dependency_release: "done" | "merged";
      done_requires: "none" | "worker" | "other_worker" | "ci" | "person";
      evidence_grade: "said" | "worker" | "other_worker" | "ci" | "person";
      evidence_kind: "command" | "diff" | "file" | "picture" | "link" | "person";
      evidence_verdict: "pass" | "fail" | "unverifiable";
      failure_class: "agent_error" | "verification_failed" | "rate_limited" | "infrastructure" | "cancelled";
      idea_status: "DRAFT" | "DISCUSSING" | "READY" | "PLANNED";
      job_phase: "implement" | "verify" | "review" | "plan";
      landing: "manual" | "queue";
      member_role: "OWNER" | "MEMBER" | "VIEWER";
      message_state: "sent" | "seen" | "acted_on" | "undelivered";
      notice_status: "PENDING" | "DELIVERED" | "FAILED";
      on_failure: "stop" | "ask";
      pairing_status: "PENDING" | "APPROVED" | "CONSUMED" | "CANCELLED";
      pbi_status: "READY" | "BLOCKED" | "DONE" | "FAILED";
      plan_first: "ask" | "auto" | "never";
      plan_review: "none" | "person";
      pr_strategy: "SPRINT" | "STORY" | "SPRINT_BATCH";
      pull_requests: "none" | "draft" | "open";
      question_expiry: "STOP" | "RECOMMENDED" | "ESCALATE";
      question_kind: "question" | "permission";
      sprint_run_status: "QUEUED" | "RUNNING" | "PAUSED" | "DONE" | "FAILED" | "CANCELLED";
      sprint_status: "PLANNED" | "ACTIVE" | "COMPLETED" | "FAILED" | "CANCELLED";
      story_log_status: "PASSED" | "FAILED";
      story_log_type: "IMPLEMENTATION_PLAN" | "TEST_RESULT" | "COMMIT";
      story_status: "OPEN" | "IN_SPRINT" | "DONE" | "FAILED" | "TRIAGE" | "TEMPLATE";
      task_execution_status: "PENDING" | "RUNNING" | "DONE" | "FAILED" | "SKIPPED";
      task_status: "TO_DO" | "IN_PROGRESS" | "REVIEW" | "DONE" | "FAILED";
      user_question_status: "PENDING" | "ANSWERED";
      user_role: "DEVELOPER" | "ADMIN";
      user_theme: "SYSTEM" | "LIGHT" | "DARK";
      verify_required: "ALIGNED" | "ALIGNED_OR_PARTIAL" | "ANY";
      verify_result: "ALIGNED" | "PARTIAL" | "EMPTY" | "DIVERGENT";
    };
    CompositeTypes: {
      [_ in never]: never;
    };
  };
};

type DatabaseWithoutInternals = Omit<Database, "__InternalSupabase">;

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">];

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName] extends { Row: infer R }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    ? (DefaultSchema["Tables"] & DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends { Row: infer R }
      ? R
      : never
    : never;

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"] | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends { Insert: infer I }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends { Insert: infer I }
      ? I
      : never
    : never;

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"] | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends { Update: infer U }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends { Update: infer U }
      ? U
      : never
    : never;

export type Enums<
  DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"] | { schema: keyof DatabaseWithoutInternals },
  EnumName extends DefaultSchemaEnumNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never = never,
> = DefaultSchemaEnumNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
    ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
    : never;

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends PublicCompositeTypeNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never = never,
> = PublicCompositeTypeNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
    ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
    : never;

export const Constants = {
  operations: { Enums: {} },
  public: {
    Enums: {
      agent_items: ["backlog", "triage"],
      agent_job_kind: ["TASK_IMPLEMENTATION", "PLAN_CHAT", "SPRINT_IMPLEMENTATION"],
      agent_job_status: ["QUEUED", "CLAIMED", "RUNNING", "DONE", "FAILED", "CANCELLED", "SKIPPED"],
      agent_question_status: ["OPEN", "ANSWERED", "CANCELLED", "EXPIRED"],
      confinement: ["bwrap", "docker", "command", "none", "bwrap_open", "docker_open"],
      dependency_release: ["done", "merged"],
      done_requires: ["none", "worker", "other_worker", "ci", "person"],
      evidence_grade: ["said", "worker", "other_worker", "ci", "person"],
      evidence_kind: ["command", "diff", "file", "picture", "link", "person"],
      evidence_verdict: ["pass", "fail", "unverifiable"],
      failure_class: ["agent_error", "verification_failed", "rate_limited", "infrastructure", "cancelled"],
      idea_status: ["DRAFT", "DISCUSSING", "READY", "PLANNED"],
      job_phase: ["implement", "verify", "review", "plan"],
      landing: ["manual", "queue"],
      member_role: ["OWNER", "MEMBER", "VIEWER"],
      message_state: ["sent", "seen", "acted_on", "undelivered"],
      notice_status: ["PENDING", "DELIVERED", "FAILED"],
      on_failure: ["stop", "ask"],
      pairing_status: ["PENDING", "APPROVED", "CONSUMED", "CANCELLED"],
      pbi_status: ["READY", "BLOCKED", "DONE", "FAILED"],
      plan_first: ["ask", "auto", "never"],
      plan_review: ["none", "person"],
      pr_strategy: ["SPRINT", "STORY", "SPRINT_BATCH"],
      pull_requests: ["none", "draft", "open"],
      question_expiry: ["STOP", "RECOMMENDED", "ESCALATE"],
      question_kind: ["question", "permission"],
      sprint_run_status: ["QUEUED", "RUNNING", "PAUSED", "DONE", "FAILED", "CANCELLED"],
      sprint_status: ["PLANNED", "ACTIVE", "COMPLETED", "FAILED", "CANCELLED"],
      story_log_status: ["PASSED", "FAILED"],
      story_log_type: ["IMPLEMENTATION_PLAN", "TEST_RESULT", "COMMIT"],
      story_status: ["OPEN", "IN_SPRINT", "DONE", "FAILED", "TRIAGE", "TEMPLATE"],
      task_execution_status: ["PENDING", "RUNNING", "DONE", "FAILED", "SKIPPED"],
      task_status: ["TO_DO", "IN_PROGRESS", "REVIEW", "DONE", "FAILED"],
      user_question_status: ["PENDING", "ANSWERED"],
      user_role: ["DEVELOPER", "ADMIN"],
      user_theme: ["SYSTEM", "LIGHT", "DARK"],
      verify_required: ["ALIGNED", "ALIGNED_OR_PARTIAL", "ANY"],
      verify_result: ["ALIGNED", "PARTIAL", "EMPTY", "DIVERGENT"],
    },
  },
} as const;
